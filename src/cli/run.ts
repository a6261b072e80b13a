import { isTokenScope, usage } from './errors.ts'
import { inputOf } from './input/collect.ts'
import { clientOf, type Invocation, operationFor, textOption } from './invocation.ts'
import { printDocument } from './output/document.ts'
import { printList } from './output/list.ts'
import { type View, viewOf } from './output/view.ts'
import type { Client, Request } from './request/client.ts'
import { pagesOf } from './request/list.ts'
import { type OwnAccount, ownAccount, ownAccountOf } from './request/own-account.ts'
import { planOf, type RequestInput, requestOf } from './request/plan.ts'
import type { Operation } from './table.ts'
import { isTty, note } from './terminal.ts'

/** Runs a command's operation; with an account's token, the one for its own account. */
export async function runOperation(invocation: Invocation): Promise<void> {
  const client = clientOf(invocation)
  const own = await ownOfPlan(invocation, client)
  if (own) return runWith(aboutAccount(invocation, own.id), client)
  try {
    await runWith(invocation, client)
  } catch (error) {
    if (!isOutOfReach(error, invocation)) throw error
    const { id } = await ownAccountOf(client, error)
    await runWith(aboutAccount(invocation, id), client)
  }
}

/** Whether an account's token was refused the server's form of a command, so that nothing was done. */
const isOutOfReach = (error: unknown, invocation: Invocation): boolean => isTokenScope(error) && isEither(invocation)

/** Whether it could mean the server or an account. */
const isEither = ({ command, option }: Invocation): boolean =>
  command.variant !== undefined && command.operation !== undefined && option('account') === undefined

/** A dry run is never refused by the server, so this asks for the token's account. */
async function ownOfPlan(invocation: Invocation, client: Client): Promise<OwnAccount | undefined> {
  if (!isEither(invocation) || !invocation.option('dry-run')) return undefined
  return ownAccount(client).catch(() => undefined)
}

const aboutAccount = (invocation: Invocation, id: string): Invocation => ({
  ...invocation,
  option: (name) => (name === 'account' ? id : invocation.option(name)),
})

/** Sends the request for what was typed, and prints the response. */
async function runWith(invocation: Invocation, client: Client): Promise<void> {
  const operation = operationFor(invocation, client.target)
  const view = viewOf(invocation, operation)
  const watch = operation.list && invocation.option('watch') ? await watcher(view) : undefined
  const input = await inputOf(invocation, operation, client)
  if (operation.upload) await addUpload(invocation, operation, client, input)
  const request = requestOf(operation, input, textOption(invocation, 'idempotency-key'))
  if (invocation.option('dry-run')) return printPlan(view, operation, client, request)
  if (watch) return watch(invocation, view, () => pagesOf(operation, client, request, view.limit.read))
  if (operation.list) {
    if (await printList(view, pagesOf(operation, client, request, view.limit.read))) return
    return (await import('./run/empty.ts')).explainEmpty(view, operation, client, request)
  }
  const { execute } = await import('./run/execute.ts')
  const { withSent } = await import('./output/sent.ts')
  await execute({
    invocation,
    operation,
    view: withSent(view, invocation, operation, input.body),
    client,
    input,
    request,
  })
}

/** As JSON, but for people in words. */
async function printPlan(view: View, operation: Operation, client: Client, request: Request): Promise<void> {
  if (!isTty() || view.output !== 'table' || view.csv || view.select !== undefined)
    return printDocument(view, planOf(request))
  return (await import('./run/dry-run.ts')).explainPlan(operation, client, request)
}

/** Uploads the option's file first, and sends its id. */
async function addUpload(
  invocation: Invocation,
  { upload, fields }: Operation,
  client: Client,
  { params, body }: RequestInput,
): Promise<void> {
  const { field, option, directory = '', isArgument } = upload!
  const named = isArgument ? invocation.positionals[invocation.command.args.length] : undefined
  if (named !== undefined && textOption(invocation, option) !== undefined)
    throw usage(`--${option} and ${named} cannot be combined`)
  const file = textOption(invocation, option) ?? named
  const dir = directory === '' ? undefined : textOption(invocation, directory)
  const source = file ?? dir
  if (source === undefined || !body) return
  if (file !== undefined && dir !== undefined) throw usage(`--${option} and --${directory} cannot be combined`)
  if (body[field] !== undefined) {
    const uploaded = fields.find(({ name }) => name === field)?.option
    throw usage(`--${file === undefined ? directory : option} and --${uploaded} cannot be combined`)
  }
  if (invocation.option('dry-run') === true) body[field] = `[upload of ${source}]`
  else
    body[field] = await (dir === undefined ? uploadedFile : uploadedDirectory)(invocation, client, params['id'], source)
}

type Send = (invocation: Invocation, client: Client, account: string | undefined, path: string) => Promise<string>

const uploadedFile: Send = async (invocation, client, account, file) => {
  const { uploadFile, uploadInput } = await import('./run/upload.ts')
  const uploaded =
    file === '-' ? uploadInput(invocation, client, account) : uploadFile(invocation, client, account, file)
  return (await uploaded).id
}

const uploadedDirectory: Send = async (invocation, client, account, directory) => {
  const { packDirectory, packedText } = await import('./run/pack-directory.ts')
  const packed = await packDirectory(directory)
  if (!invocation.globals.quiet) note(packedText(directory, packed))
  return uploadedFile(invocation, client, account, packed.file).finally(() => packed.remove())
}

async function watcher(view: View): Promise<typeof import('./run/watch.ts').watchList> {
  const { checkWatch, watchList } = await import('./run/watch.ts')
  checkWatch(view)
  return watchList
}
