import { mkdtempSync, rmSync } from 'node:fs'
import { createServer } from 'node:https'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { onTestFinished } from 'vitest'
import type { Guards } from '../src/outgoing/connect.ts'
import { ownCertificate } from '../src/server/tls.ts'
import { Receiver } from './webhooks/receiver.ts'

/** A site of another machine, which a panel with these guards can reach under its name. */
export async function httpsSite(name: string) {
  const dir = mkdtempSync(join(tmpdir(), 'panel-tls-'))
  onTestFinished(() => rmSync(dir, { recursive: true }))
  const pair = await ownCertificate(dir, name, Date.now())
  const site = await new Receiver(
    () => {},
    (handle) => createServer(pair, handle),
  ).listen('127.0.0.2')
  onTestFinished(() => site.close())
  const publish = (content: unknown, code = 200, headers: Record<string, string> = {}): void => {
    site.answer = (_request, response) =>
      void response
        .writeHead(code, { connection: 'close', ...headers })
        .end(typeof content === 'string' ? content : JSON.stringify(content))
  }
  const allows: Guards['allows'] = (address) => address === '127.0.0.2'
  const guards = { resolve: async () => ['127.0.0.2'], allows, ca: pair.cert }
  return { site, origin: `https://${name}:${site.port}`, publish, guards }
}
