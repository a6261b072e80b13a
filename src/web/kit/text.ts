/** Texts of the screens are English, and English is their key. */
export type Texts = Readonly<Record<string, string>>

interface Language {
  readonly locale: string
  readonly texts: Texts
}

const english: Language = { locale: 'en', texts: {} }
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

export const localeNow = (): string => current.locale

/** A text in the language of the page; `{name}` stands for a value. */
export function t(text: string, values: Readonly<Record<string, string | number>> = {}): string {
  const found = current.texts[text] ?? text
  return found.replace(/\{(\w+)\}/g, (whole, name: string) => String(values[name] ?? whole))
}

/** `contact_email` in words: "Contact email". */
export function inWords(name: string): string {
  const words = name
    .replace(/[._-]/g, ' ')
    .replace(/ (id|at)$/, '')
    .replace(/\b(ip|dns|ssl|ftp|ssh|url|cpu|php|api|uid|cgi|acl|ttl)\b/gi, (word) => word.toUpperCase())
  return words.charAt(0).toUpperCase() + words.slice(1)
}
