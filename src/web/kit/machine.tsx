import { quoted, seen } from '../../shared/say/quote.ts'
import { framed } from './jsx/written.ts'

/** Attributes for inputs of such text. */
export const forMachines = { spellcheck: false, autocapitalize: 'none', dir: 'ltr' } as const

const machine = framed(<bdi dir="ltr" class="m" />)

/** Text that one would type: names, paths, records, addresses, commands, logs. Always left to right. */
export const Machine = ({ text }: { text: string }) => machine(seen(text))

/** A command line, quoted for a shell. */
export const Command = ({ words }: { words: readonly string[] }) => <Machine text={words.map(quoted).join(' ')} />
