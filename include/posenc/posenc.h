// SPDX-License-Identifier: Apache-2.0
// All of posenc::posenc, which links with Highway alone. The headers of posenc::NAME are in the folder NAME.
#pragma once

#include <posenc/backward.h>
#include <posenc/bias.h>
#include <posenc/buckets.h>
#include <posenc/cell_places.h>
#include <posenc/context.h>
#include <posenc/convention.h>
#include <posenc/core.h>
#include <posenc/dropout.h>
#include <posenc/embedding.h>
#include <posenc/families.h>
#include <posenc/grid.h>
#include <posenc/input_stage.h>
#include <posenc/instruction_set.h>
#include <posenc/ladders.h>
#include <posenc/learned.h>
#include <posenc/log_coordinates.h>
#include <posenc/numbering.h>
#include <posenc/operation.h>
#include <posenc/phase_plan.h>
#include <posenc/places.h>
#include <posenc/positions.h>
#include <posenc/preset.h>
#include <posenc/query_scale.h>
#include <posenc/recipe.h>
#include <posenc/relative_families.h>
#include <posenc/rerotate.h>
#include <posenc/resize.h>
#include <posenc/rotary.h>
#include <posenc/rotary_cache.h>
#include <posenc/rows.h>
#include <posenc/scale.h>
#include <posenc/shared.h>
#include <posenc/sinusoid.h>
#include <posenc/version.h>
