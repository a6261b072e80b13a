import http, { type IncomingMessage } from 'node:http'
import https from 'node:https'
import { exit } from '../../shared/exit.ts'
import { isNewer, MAX_RELEASE_BYTES, RELEASE_TIMEOUT_MS, type Release, releaseIn } from '../../shared/release.ts'
import { CliError, unreachable, usage } from '../errors.ts'
import { clientOf, type Invocation } from '../invocation.ts'
import { printDocument } from '../output/document.ts'
import { reasonOf } from '../request/network.ts'
import { version } from '../root.ts'
import { data } from '../terminal.ts'

const sourceHint = 'panel settings update --update-source https://…'

/** Compares this version with the one that the server's update source names. It installs nothing. */
export async function run(invocation: Invocation): Promise<void> {
  if (invocation.option('check') !== true)
    throw usage('panel upgrade only looks for a newer version', 'panel upgrade --check')
  const release = await releaseAt(await sourceOf(invocation))
  const newer = isNewer(release.version, version())
  const { globals } = invocation
  if (globals.output !== 'table')
    await printDocument(globals, { version: version(), newest: release.version, ...notesOf(release) })
  else if (!globals.quiet) data(`${sentence(release, newer)}\n`)
  if (newer) process.exitCode = exit.error
}

const notesOf = ({ notes_url }: Release): Omit<Release, 'version'> => (notes_url === undefined ? {} : { notes_url })

function sentence({ version: newest, notes_url }: Release, newer: boolean): string {
  if (!newer) return `panel ${version()} is the newest version.`
  const notes = notes_url === undefined ? '' : ` What is new: ${notes_url}`
  return `panel ${newest} is available; this is ${version()}.${notes}`
}

async function sourceOf(invocation: Invocation): Promise<string> {
  const { body } = await clientOf(invocation).call({ method: 'GET', path: '/settings' })
  const { update_source } = body as { update_source?: string | null }
  if (update_source) return update_source
  const title = 'The server has no update source'
  throw new CliError(exit.conflict, { type: 'panel:problems/not-configured', title, hint: sourceHint })
}

async function releaseAt(source: string): Promise<Release> {
  const release = await answerOf(source).then(releaseIn, (error: Error) => {
    throw unreachable(`${source} cannot be reached: ${reasonOf(error)}`)
  })
  if (!release) throw unreachable(`${source} does not name a version`, 'it must answer {"version": "1.2.3", …}')
  return release
}

function answerOf(source: string): Promise<string> {
  const { get } = new URL(source).protocol === 'http:' ? http : https
  const signal = AbortSignal.timeout(RELEASE_TIMEOUT_MS)
  return new Promise((resolve, reject) => {
    get(source, { signal, headers: { accept: 'application/json' } }, (answer) => {
      if (answer.statusCode === 200) return void startOf(answer).then(resolve, reject)
      answer.destroy()
      reject(new Error(`it answered ${answer.statusCode}`))
    }).on('error', reject)
  })
}

/** A longer answer is cut, and then names no version. */
async function startOf(answer: IncomingMessage): Promise<string> {
  const chunks: Buffer[] = []
  let length = 0
  for await (const chunk of answer) {
    chunks.push(chunk)
    length += chunk.length
    if (length > MAX_RELEASE_BYTES) return ''
  }
  return Buffer.concat(chunks).toString('utf8')
}
