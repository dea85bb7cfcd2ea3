// SPDX-License-Identifier: Apache-2.0
// A convention: immutable, and no more than a handle.
import { freed_with, refuse } from './memory.js';

export class Convention {
  #calls;
  #address;
  #free;
  constructor(calls, address) {
    this.#calls = calls;
    this.#address = address;
    this.#free = freed_with(this, calls.exports, 'posenc_convention_free', address);
    /** The names of its axes, in the order in which coordinates are passed. */
    this.axes = Object.freeze(calls.names('posenc_convention_axis', address));
    this.cellAxes = Object.freeze(calls.names('posenc_convention_cell_axis', address));
  }
  static address_of(operation, convention, calls) {
    if (convention instanceof Convention && convention.#address !== 0 && convention.#calls === calls) return convention.#address;
    return refuse(operation, 'convention must be one of this module that is not freed', typeof convention);
  }
  /** Every field, as text: equal conventions have equal text. */
  json() {
    return this.#calls.result('json', (arena, invoke) => this.#calls.text(
      arena, invoke, 'posenc_convention_json', Convention.address_of('json', this, this.#calls)));
  }
  /** Does it give what an operation asks for? The value is true; a convention of another kind is refused. */
  gives(use) {
    return this.#calls.result('gives', (arena, invoke) => {
      const number = uses.indexOf(use) + 1;
      if (number === 0) refuse('gives', `use must be one of ${uses.join(', ')}`, use);
      invoke('posenc_convention_check', Convention.address_of('gives', this, this.#calls), number);
      return true;
    });
  }
  free() {
    this.#free();
    this.#address = 0;
  }
}

/** In the order of posenc.h. */
const uses = ['rows', 'tokens', 'timesteps', 'cells', 'coordinates', 'rotations', 'slopes', 'classes', 'windows',
  'logCoordinates', 'queryScales', 'storedRows', 'resizedTables'];
