import { inputNeeded, usage } from '../errors.ts'
import { askWhether } from '../input/ask.ts'
import { again, type Invocation, textOption } from '../invocation.ts'
import { type Client, createClient } from '../request/client.ts'
import { type JobAndLog, watch } from '../request/job.ts'
import { localTarget } from '../target/choose.ts'
import { canAsk, note } from '../terminal.ts'
import { problemOf } from './host-problem.ts'

/** Makes this machine a host. */
export async function run(invocation: Invocation): Promise<void> {
  const { setUp, choices, phpSources, SetupError } = await import('../../host/setup/main.ts')
  const options = {
    yes: invocation.option('yes') === true,
    dryRun: invocation.option('dry-run') === true,
    without: withoutOf(textOption(invocation, 'without'), choices),
    hostname: textOption(invocation, 'hostname'),
    php: versionsOf(textOption(invocation, 'php')),
    firewall: invocation.option('firewall') as boolean | undefined,
    waf: invocation.option('waf') as boolean | undefined,
    phpSource: sourceOf(textOption(invocation, 'php-source'), phpSources),
  }
  const asking = async (question: string): Promise<boolean> => {
    if (!canAsk()) throw inputNeeded('A confirmation is needed', `to skip the question: ${again(invocation, '--yes')}`)
    return askWhether(question)
  }
  const front = invocation.option('front') === true
  const { changed, isNode } = await setUp(options, { say: note, ask: asking, apply: () => apply(front) }).catch(
    (error: unknown) => {
      throw error instanceof SetupError ? problemOf(error) : error
    },
  )
  if (options.dryRun) return
  if (isNode) return note(changed ? readyNode : unchanged)
  await printRecords()
  note(changed ? ready : unchanged)
}

interface Name {
  readonly record: string
  readonly resolves_here: boolean
}

/** Prints the records missing from the zone of the server's name, wherever it is hosted. */
async function printRecords(): Promise<void> {
  const { body } = await createClient(localTarget('/var/lib/panel')).call({ method: 'GET', path: '/host' })
  const { names = [] } = body as { names?: readonly Name[] }
  const lacking = names.filter(({ resolves_here }) => !resolves_here)
  if (lacking.length === 0) return
  note("records to add to DNS: the server's names do not resolve to this machine yet")
  for (const { record } of lacking) note(`  ${record}`)
}

const unchanged = 'nothing had to be changed'
const readyNode = "this machine is set up; on the panel's machine, next: panel host apply"
const ready = 'this machine is set up; next: panel accounts create NAME --domain DOMAIN'

function versionsOf(text: string | undefined): readonly string[] | undefined {
  const versions = text?.split(',').map((one) => one.trim())
  const wrong = versions?.find((one) => !/^\d{1,2}\.\d{1,2}$/.test(one))
  if (wrong !== undefined) throw usage(`--php takes versions such as 8.1,8.4, not ${wrong}`)
  return versions
}

function sourceOf<Source extends string>(text: string | undefined, known: readonly Source[]): Source | undefined {
  if (text !== undefined && !(known as readonly string[]).includes(text))
    throw usage(`--php-source takes ${known.join(', ')}, not ${text}`)
  return text as Source | undefined
}

function withoutOf<Choice extends string>(
  text: string | undefined,
  choices: readonly Choice[],
): readonly Choice[] | undefined {
  if (text === undefined) return undefined
  const provided = text === 'none' ? [] : text.split(',').map((one) => one.trim())
  const known: readonly string[] = choices
  const wrong = provided.find((one) => !known.includes(one))
  if (wrong !== undefined) throw usage(`--without takes ${choices.join(', ')} or none, not ${wrong}`)
  return provided as Choice[]
}

/** Has the running server apply every account; returns whether one failed. */
async function apply(front: boolean): Promise<boolean> {
  const client = createClient(localTarget('/var/lib/panel'))
  const changed = front && (await turnFrontOn(client))
  const { body: diff } = await client.call({ method: 'GET', path: '/host/diff' })
  const { body } = await client.call({ method: 'POST', path: '/host/apply', body: {} })
  const { job_id: job } = body as { job_id: string }
  const show = ({ log }: JobAndLog): void => {
    for (const { message } of log) note(`  ${message}`)
  }
  const signal = new AbortController().signal
  const done = await watch(client, { job }, { show, deadline: Number.POSITIVE_INFINITY, signal })
  if (done.status !== 'succeeded') throw new Error(done.error ?? `the job ${job} ${done.status}`)
  const { repairedBySetup } = await import('../../host/setup/main.ts')
  const { differences } = diff as { differences: readonly { readonly note?: string }[] }
  // Manual changes are kept, and were reported before.
  return changed || differences.some(({ note = '' }) => !note.endsWith(repairedBySetup))
}

async function turnFrontOn(client: Client): Promise<boolean> {
  const { body } = await client.call({ method: 'GET', path: '/settings' })
  if ((body as { front: boolean }).front) return false
  await client.call({ method: 'PATCH', path: '/settings', body: { front: true } })
  return true
}
