import { mkdtempSync, writeFileSync } from 'node:fs'
import { dirname, join } from 'node:path'
import { nativeHash } from '../../src/areas/mysql/password.ts'
import type { Filling } from '../../src/host/backup/databases.ts'
import type { Definer } from '../../src/host/backup/definer.ts'
import { DatabaseContent } from '../../src/host/debian/db/content/content.ts'
import { Databases } from '../../src/host/debian/db/databases.ts'
import { account } from '../host/helpers.ts'
import type { MariaDb } from '../mysql/mariadb.ts'

export const password = 'canary-Sandpiper-6631'

/** Only root runs a client as another user. */
export const uid = process.getuid?.() === 0 ? 20_001 : process.getuid!()

/** The databases and users of an account on a server, and what saves and restores their content. */
export async function contentOn(server: MariaDb, prefix: string, names: readonly string[] = ['shop', 'other']) {
  const { sql } = server
  const lists = mkdtempSync(join(dirname(server.socket), 'lists-'))
  const databases = names.map((name) => `${prefix}${name}`)
  const grants = databases.map((database) => ({ database, privileges: ['ALL'] as const }))
  const bob = account({
    uid,
    parts: {
      db: {
        prefix,
        hosts: [],
        databases: databases.map((name) => ({ name, collation: 'utf8mb4_unicode_ci', gone: false })),
        users: ['app', 'api'].map((name) => ({
          name: `${prefix}${name}`,
          hash: nativeHash(password),
          gone: false,
          grants,
        })),
      },
    },
  })
  await new Databases(sql).apply(bob)
  writeFileSync(join(lists, 'bob.sql'), databases.map((name) => `CREATE DATABASE IF NOT EXISTS \`${name}\`\n`).join(''))
  const content = new DatabaseContent(sql, { at: server.socket, lists })
  const as = (statements: string, user = 'app') =>
    server.run(statements, [
      `--user=${prefix}${user}`,
      `--password=${password}`,
      `--database=${databases[0]}`,
      '--default-character-set=utf8mb4',
      '--comments',
    ])
  const filling = (bytes: Buffer, over: Partial<Filling> = {}): Filling => ({
    name: databases[0]!,
    from: databases[0]!,
    collation: 'utf8mb4_unicode_ci',
    bytes: () => inPieces(bytes),
    definers: [],
    account: bob,
    prefix,
    formerPrefix: prefix,
    ...over,
  })
  return { content, as, filling, databases, bob, sql }
}

/** Chunks that may end anywhere. */
export async function* inPieces(bytes: Buffer, size = 37): AsyncGenerator<Buffer> {
  for (let at = 0; at < bytes.length; at += size) yield bytes.subarray(at, at + size)
}

export async function dumped(content: DatabaseContent, name: string) {
  const dump = content.dump(name)
  const chunks: Buffer[] = []
  for await (const chunk of dump.bytes) chunks.push(chunk)
  return { ...dump.result(), bytes: Buffer.concat(chunks) }
}

export const visible = (definers: readonly Definer[]): string[] =>
  definers.map(({ kind, name, user, host }) => `${kind} ${name} ${user}@${host}`)
