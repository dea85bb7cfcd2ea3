// SPDX-License-Identifier: Apache-2.0
// The words of the page's languages.
import { en } from './en.js';
import { zh } from './zh.js';

export type Words = typeof en;
export const languages: Record<string, Words> = { en, zh };

/** The words of a language that is asked for; else of one that the reader's browser prefers. */
export function words_of(asked: string): Words {
  const preferred = navigator.languages.map((tag) => tag.slice(0, 2)).find((tag) => tag in languages);
  return languages[asked] ?? languages[preferred ?? 'en'] ?? en;
}
