import { existsSync } from 'node:fs'
import { createRequire } from 'node:module'
import { fileURLToPath } from 'node:url'
import { Worker } from 'node:worker_threads'
import { invalid } from '../../contract/problem.ts'
import { FairQueue } from '../../runtime/fair-queue.ts'
import { pemOfBytes, pkcs12Label } from '../../shared/pem-file.ts'
import { type Pkcs12Content, readPkcs12 } from '../../shared/pkcs12.ts'

/** A file says how often its keys are derived, and so how long it takes to open. */
const OPEN_TIMEOUT_MS = 10_000
const MAX_HEAP_MB = 64
const queue = new FairQueue(2, 100)

/** Some loaders name functions by a helper that does not exist in the thread. Native code cannot be interrupted. */
const source = `const __name = (value) => value
const { parentPort, workerData: { module, der, password } } = require('node:worker_threads')
const forge = require(module)
forge.options.usePureJavaScript = true
parentPort.postMessage((${readPkcs12})(forge, require('node:crypto'), der, password))`

/** The fields of a certificate in a file of any form: PEM, DER, or PKCS #12 with its key. */
export async function certificateInFile(bytes: Buffer, password: string) {
  const text = pemOfBytes(bytes)
  if (!text?.includes('-----BEGIN ')) throw invalid('file', 'has no certificate: it is neither PEM, DER nor PKCS #12')
  if (!text.startsWith(`-----BEGIN ${pkcs12Label}-----`)) return { certificate: text }
  const found = await queue.run(undefined, () => inThread(bytes, password))
  if (found === 'password') throw invalid('password', passwordProblem(password))
  if ('problem' in found) throw invalid('file', found.problem)
  return { certificate: found.certificate, private_key: found.key, ...(found.chain && { ca_bundle: found.chain }) }
}

const passwordProblem = (password: string): string =>
  password === ''
    ? 'is needed: the file is locked'
    : 'does not open the file; give the one that was set when the file was exported'

function inThread(der: Buffer, password: string): Promise<Pkcs12Content> {
  const thread = new Worker(source, {
    eval: true,
    execArgv: [],
    env: {},
    workerData: { module: moduleFile(), der, password },
    resourceLimits: { maxOldGenerationSizeMb: MAX_HEAP_MB },
  })
  const failed = (problem: string) => ({ problem })
  return new Promise<Pkcs12Content>((resolve) => {
    const slow = 'takes too long to open: export it again'
    const timer = setTimeout(() => resolve(failed(slow)), OPEN_TIMEOUT_MS)
    thread.once('message', resolve)
    thread.once('error', () => resolve(failed('cannot be opened')))
    thread.once('exit', () => {
      clearTimeout(timer)
      resolve(failed('cannot be opened'))
    })
  }).finally(() => thread.terminate())
}

/** The package: the build puts it beside the bundles. */
function moduleFile(): string {
  const built = fileURLToPath(new URL('../vendor/node-forge.cjs', import.meta.url))
  return existsSync(built) ? built : createRequire(import.meta.url).resolve('node-forge')
}
