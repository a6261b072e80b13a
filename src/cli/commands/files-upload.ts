import { usage } from '../errors.ts'
import { accountOf } from '../input/local-account.ts'
import { clientOf, type Invocation, textOption } from '../invocation.ts'
import { printObject } from '../output/print.ts'
import { viewOf } from '../output/view.ts'
import { randomKey } from '../request/key.ts'
import { filledPath } from '../request/plan.ts'
import { uploadFile } from '../run/upload.ts'
import { operationOf } from '../table.ts'

/** Uploads a file, and saves it. */
export async function run(invocation: Invocation): Promise<void> {
  const [file = '', path = ''] = invocation.positionals
  if (file === '' || path === '') throw usage('a file and a path are needed', 'panel files upload site.zip sites/a/')
  const view = viewOf(invocation, operationOf('saveUpload'))
  const client = clientOf(invocation)
  const id = await accountOf(invocation, client)
  const uploaded = await uploadFile(invocation, client, id, file)
  const to = path.endsWith('/') ? `${path}${uploaded.name}` : path
  const mode = textOption(invocation, 'mode')
  const body = {
    path: to,
    ...(invocation.option('overwrite') === true && { overwrite: true }),
    ...(mode !== undefined && { mode }),
  }
  const saved = await client.call({
    method: 'POST',
    path: filledPath(operationOf('saveUpload').path, { id, uid: uploaded.id }),
    body,
    headers: { 'idempotency-key': randomKey() },
  })
  await printObject(view, saved.body)
}
