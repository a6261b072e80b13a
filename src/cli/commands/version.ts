import { version } from '../root.ts'
import { data } from '../terminal.ts'

/** Prints the version of this program. */
export async function run(): Promise<void> {
  data(`${version()}\n`)
}
