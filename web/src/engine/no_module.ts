// SPDX-License-Identifier: Apache-2.0
// Stands where the package has the module's bytes: the page passes them to load.

export function module_bytes(): Promise<ArrayBuffer> {
  return Promise.reject(new Error('the page passes the bytes of the module'));
}
