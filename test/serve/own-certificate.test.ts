import { X509Certificate } from 'node:crypto'
import { rmSync } from 'node:fs'
import { join } from 'node:path'
import { expect, test } from 'vitest'
import { sign } from '../../src/server/certificate.ts'
import { OwnCertificate } from '../../src/server/own-certificate.ts'
import { place } from './server.ts'

const day = 86_400_000

async function setUp() {
  const dir = join(place(), 'tls')
  const state = { panel: 'host.example', now: Date.parse('2026-01-01') }
  const names = () => ({
    panel: state.panel,
    webmail: `webmail.${state.panel}`,
    phpmyadmin: `phpmyadmin.${state.panel}`,
  })
  const own = new OwnCertificate(dir, names, () => state.now)
  const seen: string[] = []
  own.changed = ({ kind }) => void seen.push(kind)
  const { key } = await own.current()
  const issued = await sign(key, 'host.example', { dns: ['host.example'], ip: [] }, state.now)
  await own.install(issued)
  return { dir, state, own, key, issued, seen }
}

test('an issued certificate is used while it is valid, with the permanent key', async () => {
  const { state, own, key, issued, seen } = await setUp()
  expect(await own.current()).toEqual({ kind: 'acme', cert: issued, key })
  state.now += 396 * day
  expect((await own.current()).kind).toBe('acme')
  state.now += 2 * day
  const after = await own.current()
  expect([after.kind, after.key]).toEqual(['self_signed', key])
  expect(Date.parse(new X509Certificate(after.cert).validTo)).toBeGreaterThan(state.now)
  expect(seen).toEqual(['acme', 'self_signed'])
})

test("does not use a certificate that matches none of the server's current names", async () => {
  const { state, own, key } = await setUp()
  state.panel = 'other.example'
  const { kind, cert, key: now } = await own.current()
  expect([kind, now, new X509Certificate(cert).checkHost('other.example')]).toEqual([
    'self_signed',
    key,
    'other.example',
  ])
})

test('does not use a certificate for a lost key', async () => {
  const { dir, own, key } = await setUp()
  rmSync(join(dir, 'key.pem'))
  const { kind, cert, key: now } = await own.current()
  expect(kind).toBe('self_signed')
  expect(now).not.toBe(key)
  expect(new X509Certificate(cert).checkHost('host.example')).toBe('host.example')
})
