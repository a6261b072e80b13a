import { quoted, seen } from '../../shared/say/quote.ts'
import { framed } from './jsx/written.ts'

/** On inputs of such a text. */
export const forMachines = { spellcheck: false, autocapitalize: 'none', dir: 'ltr' } as const

const machine = framed(<bdi dir="ltr" class="m" />)

/** What one would type: names, paths, records, addresses, commands, logs. It reads from left to right everywhere. */
export const Machine = ({ text }: { text: string }) => machine(seen(text))

/** A command line, as a shell takes it. */
export const Command = ({ words }: { words: readonly string[] }) => <Machine text={words.map(quoted).join(' ')} />
