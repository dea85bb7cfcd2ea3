// SPDX-License-Identifier: Apache-2.0
// Pools: alone, since not every machine that the rest is built for has threads.
#include <posenc/pool/pool.h>

#include <memory>

#include "bindings/c/edge.h"

using namespace posenc;

struct posenc_pool {
  std::unique_ptr<const Pool> pool;
};

posenc_status posenc_pool_new(int32_t threads, posenc_pool** out, posenc_error* error) {
  return c::made("posenc_pool_new", out, error, [&] { return std::make_unique<const Pool>(threads); });
}

void posenc_pool_free(posenc_pool* pool) { delete pool; }

posenc_executor posenc_pool_executor(const posenc_pool* pool) {
  if (pool == nullptr) return {nullptr, nullptr};
  const Executor executor = pool->pool->executor();
  return {executor.run, executor.self};
}
