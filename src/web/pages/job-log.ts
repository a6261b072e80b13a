import { download } from '../http/responses.ts'
import { exact } from '../kit/format/format.ts'
import type { Answered } from '../kit/screen.ts'
import { read } from '../panel-request.ts'
import { askOf, type PageRequest } from './page-request.ts'

/** A job's whole log as a file. */
export async function logOf(page: PageRequest): Promise<Response> {
  const { request, match } = page
  const { shows } = match.screen
  const { log } = await read(request, shows, askOf(page, shows, match.screen.query))
  const lines = log.map(({ at, level, message }: Answered) => `${exact(at)}  ${level}  ${message}\n`)
  return download(request.screens, nameOf(page), lines.join(''))
}

/** `shop-43.log`; a name in the address may contain characters that a header cannot. */
const nameOf = ({ match }: PageRequest): string =>
  `${Object.values(match.names)
    .join('-')
    .replace(/[^\w.-]/g, '_')}.log`
