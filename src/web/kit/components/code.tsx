import { quoted, seen } from '../../../shared/command-line/quote.ts'

/** Attributes for inputs of such text. */
export const codeInputProps = { spellcheck: false, autocapitalize: 'none', dir: 'ltr' } as const

/** Text that one would type: names, paths, records, addresses, commands, logs. Always left to right. */
export const Code = ({ text }: { text: string }) => (
  <bdi dir="ltr" class="m">
    {seen(text)}
  </bdi>
)

/** A command line, quoted for a shell. */
export const Command = ({ words }: { words: readonly string[] }) => <Code text={words.map(quoted).join(' ')} />
