import { createReadStream, createWriteStream, renameSync, rmSync, statSync } from 'node:fs'
import type { IncomingMessage } from 'node:http'
import { type Readable, Transform } from 'node:stream'
import { pipeline } from 'node:stream/promises'
import { reasonOf } from '../../shared/system-error.ts'
import { usage } from '../errors.ts'
import { printObject } from '../output/print.ts'
import { transferBar } from '../output/transfer.ts'
import { exchangeBytes } from '../request/bytes.ts'
import { readAnswer } from '../request/client.ts'
import { isTty, printable } from '../terminal.ts'
import type { CommandCall } from './execute.ts'

/** Executes an operation with a raw body or response. */
export const executeRaw = (call: CommandCall): Promise<void> =>
  call.operation.raw === 'body' ? send(call) : receive(call)

async function send({ client, request, input, view, invocation }: CommandCall): Promise<void> {
  const { stream, size } = source(input.file)
  const bar = transferBar(invocation.globals, input.file ?? 'standard input', size)
  const counted = stream.pipe(counting(bar.pass))
  stream.on('error', (error) => counted.destroy(error))
  try {
    const incoming = await exchangeBytes(client, request, { stream: counted, ...(size !== undefined && { size }) })
    const { body } = await readAnswer(incoming, client.target)
    bar.end()
    await printObject(view, body)
  } finally {
    bar.end()
  }
}

/** A local file, or standard input. */
function source(file = '-'): { stream: Readable; size?: number } {
  if (file === '-') return { stream: process.stdin }
  try {
    const stats = statSync(file)
    if (!stats.isFile()) throw new Error('is not a file')
    return { stream: createReadStream(file), size: stats.size }
  } catch (error) {
    throw usage(`${file}: ${reasonOf(error)}`)
  }
}

export const counting = (pass: (bytes: number) => void): Transform =>
  new Transform({
    transform(chunk: Buffer, _encoding, done) {
      pass(chunk.length)
      done(null, chunk)
    },
  })

async function receive(call: CommandCall): Promise<void> {
  const { client, request, input, invocation, operation } = call
  if (operation.resumes) return (await import('./resume.ts')).download(call)
  const incoming = await exchangeBytes(client, request)
  if (input.file === undefined || input.file === '-') return toOutput(incoming)
  const total = Number(incoming.headers['content-length'])
  const bar = transferBar(invocation.globals, input.file, Number.isFinite(total) ? total : undefined)
  await intoFile(incoming, input.file, bar.pass).finally(bar.end)
}

/** The file only appears once it is complete. */
async function intoFile(incoming: IncomingMessage, file: string, pass: (bytes: number) => void): Promise<void> {
  const partial = `${file}.partial`
  try {
    await pipeline(incoming, counting(pass), createWriteStream(partial))
    renameSync(partial, file)
  } catch (error) {
    rmSync(partial, { force: true })
    throw usage(`${file}: ${reasonOf(error)}`)
  }
}

/** A terminal only gets text, without control characters. */
export async function toOutput(incoming: IncomingMessage): Promise<void> {
  if (!isTty()) return pipeline(incoming, process.stdout, { end: false })
  const text = new Transform({
    transform(chunk: Buffer, _encoding, done) {
      done(null, printable(chunk.toString('utf8')))
    },
  })
  await pipeline(incoming.setEncoding('utf8'), text, process.stdout, { end: false })
}
