import { usage } from '../errors.ts'
import { inputOf } from '../input/collect.ts'
import { clientOf, type Invocation, textOption } from '../invocation.ts'
import { randomKey } from '../request/key.ts'
import { filledPath, requestOf } from '../request/plan.ts'
import { finishAll } from '../run/follow-job.ts'
import { downloadTo } from '../run/resume.ts'
import { operationOf, table } from '../table.ts'
import { isTty } from '../terminal.ts'

/** Exports a database, waits for it, and downloads it. */
export async function run(invocation: Invocation): Promise<void> {
  const [name = '', second] = invocation.positionals
  const file = textOption(invocation, 'file') ?? second
  if (name === '') throw usage('a database is needed', 'panel mysql export alice_shop --output shop.sql.gz')
  if ((file === undefined || file === '-') && isTty())
    throw usage('a file is needed: a terminal cannot show this', `panel mysql export ${name} --output ${name}.sql.gz`)
  const client = clientOf(invocation)
  const operation = operationOf('exportDatabase')
  const command = table.commands.find(({ variant }) => variant === operation.id)!
  const option = (key: string): unknown =>
    key === 'compression' ? compressionOf(invocation, file) : invocation.option(key)
  const input = await inputOf({ ...invocation, command, positionals: [name], option }, operation, client)
  const { body } = await client.call(requestOf(operation, input, randomKey()))
  await finishAll(invocation, client, [{ job: (body as { job_id: string }).job_id }])
  const request = { method: 'GET', path: filledPath(operationOf('downloadDatabase').path, input.params) }
  if (file === undefined || file === '-') {
    const [{ exchangeBytes }, { toOutput }] = await Promise.all([
      import('../request/bytes.ts'),
      import('../run/bytes.ts'),
    ])
    return toOutput(await exchangeBytes(client, request))
  }
  await downloadTo({ client, invocation, request, file, partial: `${file}.partial` })
}

/** As typed, else by the file's ending; what goes on to a program is not packed. */
function compressionOf(invocation: Invocation, file: string | undefined): unknown {
  const typed = invocation.option('compression')
  if (typed !== undefined) return typed
  if (file === undefined || file === '-' || file.endsWith('.sql')) return 'none'
  return file.endsWith('.zst') ? 'zstd' : 'gzip'
}
