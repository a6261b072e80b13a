import { seen } from '../../shared/say/quote.ts'
import { framed } from './jsx/written.ts'

const machine = framed(<bdi dir="ltr" class="m" />)

/** What one would type: names, paths, records, addresses, commands, logs. It reads from left to right everywhere. */
export const Machine = ({ text }: { text: string }) => machine(seen(text))
