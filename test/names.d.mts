interface Glossary {
  readonly words: ReadonlySet<string>
  readonly messages: ReadonlySet<string>
  readonly allows: (name: string, file: string) => boolean
}

export function readGlossary(text: string): Glossary
export function findPrivateWords(
  file: string,
  code: string,
  glossary: Glossary,
): { readonly line: number; readonly name: string; readonly word: string }[]
