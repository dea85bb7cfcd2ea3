// SPDX-License-Identifier: Apache-2.0
// Elements of HTML and SVG in one call each.

type Child = Node | string | null | undefined | false;
type Attributes = Record<string, string | number | boolean | undefined | ((event: any) => void)>;

function furnish<E extends Element>(element: E, attributes: Attributes, children: Child[]): E {
  for (const [name, value] of Object.entries(attributes)) {
    if (value === undefined || value === false) continue;
    if (typeof value === 'function') element.addEventListener(name.slice(2), value);
    else element.setAttribute(name, value === true ? '' : String(value));
  }
  element.append(...children.filter((child): child is Node | string => Boolean(child) || child === ''));
  return element;
}

/** An element of HTML; what begins with "on" listens. */
export function html<K extends keyof HTMLElementTagNameMap>(
  tag: K,
  attributes: Attributes = {},
  ...children: Child[]
): HTMLElementTagNameMap[K] {
  return furnish(document.createElement(tag), attributes, children);
}

export function svg<K extends keyof SVGElementTagNameMap>(
  tag: K,
  attributes: Attributes = {},
  ...children: Child[]
): SVGElementTagNameMap[K] {
  return furnish(document.createElementNS('http://www.w3.org/2000/svg', tag), attributes, children);
}

/** Names for elements that another one refers to. */
let last_name = 0;
export const new_id = (): string => `id${++last_name}`;

/** Sets what a call states and leaves the rest: what moves with a slider is not made anew. */
export function set(element: Element, attributes: Record<string, string | number>): void {
  for (const [name, value] of Object.entries(attributes)) element.setAttribute(name, String(value));
}
