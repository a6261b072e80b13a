import { download } from './answers.ts'
import { exact } from './kit/format.ts'
import type { Answered } from './kit/screen.ts'
import { askOf, type Looking } from './looking.ts'
import { read } from './served.ts'

/** A job's whole log as a file. */
export async function logOf(looking: Looking): Promise<Response> {
  const { served, place } = looking
  const { shows } = place.screen
  const { log } = await read(served, shows, askOf(looking, shows, place.screen.query))
  const lines = log.map(({ at, level, message }: Answered) => `${exact(at)}  ${level}  ${message}\n`)
  return download(served.screens, nameOf(looking), lines.join(''))
}

/** `shop-43.log`; a name in the address may contain characters that a header cannot. */
const nameOf = ({ place }: Looking): string =>
  `${Object.values(place.names)
    .join('-')
    .replace(/[^\w.-]/g, '_')}.log`
