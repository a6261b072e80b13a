import { interpolate } from './interpolate.ts'

/** A language of the screens. The English texts are the keys. */
export interface Language {
  /** The value of `<html lang>`. */
  readonly locale: string
  /** The locale for numbers and dates. */
  readonly formats: string
  readonly dir: 'ltr' | 'rtl'
  say(english: string): string
}

export const english: Language = { locale: 'en', formats: 'en', dir: 'ltr', say: (text) => text }
let current = english

/** Renders in a language. Rendering is synchronous, so nothing else can see it. */
export function inLanguage<T>(language: Language, render: () => T): T {
  const before = current
  current = language
  try {
    return render()
  } finally {
    current = before
  }
}

export const languageNow = (): Language => current
export const localeNow = (): string => current.formats

/** A text in the language of the page; `{name}` stands for a value. */
export function t(text: string, values?: Readonly<Record<string, string | number>>): string {
  const translated = current.say(text)
  return values ? interpolate(translated, (name) => String(values[name] ?? `{${name}}`)) : translated
}
