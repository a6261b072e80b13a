import { exit } from '../../shared/exit.ts'
import { CliError } from '../errors.ts'
import type { Invocation } from '../invocation.ts'
import { data, note } from '../terminal.ts'
import { foundAt, placeOf, remove, type UnitPlace } from './service/unit-file.ts'

/** Removes the unit that `service install` wrote. The data stays. */
export async function run(invocation: Invocation): Promise<void> {
  const place = placeOf(process.getuid?.() === 0)
  const found = foundAt(place)
  if (found === 'nothing') throw absent(place)
  if (found === 'foreign') throw notOwned(place)
  remove(place)
  const { systemctl, file } = place
  note(`${file} was removed; the data directory stays as it is`)
  note(`next: ${systemctl} daemon-reload && ${systemctl} stop panel`)
  const { output } = invocation.globals
  data(output === 'json' || output === 'jsonl' ? `${JSON.stringify({ file })}\n` : `${file}\n`)
}

const absent = ({ file }: UnitPlace): CliError =>
  new CliError(exit.notFound, { type: 'panel:not-found', title: `${file} does not exist` })

const notOwned = ({ file }: UnitPlace): CliError =>
  new CliError(exit.conflict, { type: 'panel:exists', title: `${file} was not written by panel` })
