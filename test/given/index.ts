import { readdirSync } from 'node:fs'
import { join } from 'node:path'
import { expect } from 'vitest'
import type { Json, Send, TestPanel } from '../harness.ts'

/** Ids by the path parameter that uses them. */
export type Objects = Readonly<Record<string, string>>

/** One of each object of an area, for tests of all operations: a file here for each area that has any. */
export interface Given {
  /** Of the server, or of root. */
  readonly ofServer?: (panel: TestPanel) => Promise<Objects>
  /** Of an account. */
  readonly ofAccount?: (panel: TestPanel, accountId: string) => Promise<Objects>
  /** The default state of its host part, for tests of the host. */
  readonly host?: object
  /** Of a reseller that is signed in. */
  readonly ofReseller?: (panel: TestPanel, send: Send) => Promise<Objects>
}

const files = readdirSync(import.meta.dirname).filter((file) => file !== 'index.ts')
const load = (file: string): Promise<{ given: Given }> => import(join(import.meta.dirname, file))
const all = (await Promise.all(files.map(load))).map(({ given }) => given)

async function fold(make: (given: Given) => Promise<Objects> | undefined): Promise<ReadonlyMap<string, string>> {
  const objects = new Map<string, string>()
  for (const given of all) for (const [path, id] of Object.entries((await make(given)) ?? {})) objects.set(path, id)
  return objects
}

export const hostStates = Object.assign({}, ...all.map(({ host }) => host)) as object

export const serverObjects = (panel: TestPanel) => fold(({ ofServer }) => ofServer?.(panel))
export const accountObjects = (panel: TestPanel, id: string) => fold(({ ofAccount }) => ofAccount?.(panel, id))
export const resellerObjects = (panel: TestPanel, send: Send) => fold(({ ofReseller }) => ofReseller?.(panel, send))

/** The response of a create, which must succeed. */
export async function made(panel: TestPanel, path: string, body: object, send: Send = {}): Promise<Json> {
  const reply = await panel.post(path, body, send)
  expect([201, 202], `${path} ${JSON.stringify(reply.body)}`).toContain(reply.status)
  return reply.body
}
