import { spawnSync } from 'node:child_process'
import { readdirSync, statSync } from 'node:fs'
import { describe, expect, test } from 'vitest'
import { minute } from '../../src/shared/time.ts'
import { nothing, occurred, problem } from '../domains/fixtures.ts'
import type { Json } from '../harness.ts'
import { soon } from '../wait-for.ts'
import { hasPhp } from './core.ts'
import { configOf, root } from './fixtures.ts'
import { withRunningSite } from './running.ts'

async function withLinks(config = configOf()) {
  const site = await withRunningSite(config)
  const { panel, at, place } = site
  return {
    ...site,
    link: (body: object = {}) => panel.post(`${at}/sign-in`, body),
    files: () => readdirSync(place(root)).filter((name) => name.startsWith('panel-')),
    /** What PHP answers to a visitor of the link. */
    visit(url: string): string {
      const { pathname, searchParams } = new URL(url)
      const token = JSON.stringify(searchParams.get('token'))
      const script = `<?php $_GET['token'] = ${token}; require '${place(root)}${pathname}';`
      return spawnSync('php', { input: script, encoding: 'utf8' }).stdout
    },
  }
}

describe.skipIf(!hasPhp)('createWordpressLink', () => {
  test('signs in as the first administrator, once', async () => {
    const { panel, link, files, visit, place } = await withLinks()
    const { status, body } = await link()
    expect([status, body]).toEqual([200, { url: expect.any(String), expires_in: 60 }])
    expect(await occurred(panel)).toEqual(nothing)
    const [file] = files()
    expect(body.url).toMatch(new RegExp(`^http://alice.example/${file}\\?token=[\\w-]{43}$`))
    expect(statSync(place(`${root}/${file}`)).mode & 0o777).toBe(0o644)
    expect(visit(body.url.replace(/token=./, 'token=!'))).toBe('The link has expired, or was used.')
    expect(visit(body.url)).toBe('signed in as 7 and led to http://alice.example/wp-admin/')
    expect(files()).toEqual([])
  })

  test('signs in as the administrator that is named, and as no other user', async () => {
    const { link, files, visit } = await withLinks()
    expect(visit((await link({ user: 'ed' })).body.url)).toContain('signed in as 7')
    for (const user of ['al', 'none', "'; exit; '"])
      expect(problem(await link({ user }))).toEqual([400, 'validation', 'user'])
    expect(problem(await link({ user: 'a\nb' }))).toEqual([400, 'validation', 'user'])
    expect(files()).toEqual([])
  })

  test('what is not used is removed a minute later, after a restart too', async () => {
    const { panel, link, files, visit } = await withLinks()
    const { url } = (await link()).body
    await link()
    expect(files()).toHaveLength(2)
    await panel.clock.advance(minute - 1)
    expect(files()).toHaveLength(2)
    await panel.restart()
    await panel.clock.advance(1)
    await soon(() => expect(files()).toEqual([]))
    expect(visit(url)).toBe('')
  })

  test('a suspended account and a site that is being deleted have no links', async () => {
    const { panel, alice, link, files } = await withLinks()
    await panel.post(`/accounts/${alice.id}/suspend`, { reason: 'unpaid' })
    await panel.settle()
    expect(problem(await link())).toEqual([409, 'suspended'])
    expect(files()).toEqual([])
  })

  test('a link is for no token of an account, needs the feature, and is not in the audit log', async () => {
    const { panel, alice, at, link } = await withLinks()
    const token = await panel.token(['files:write', 'mysql:write'], { account: alice.id })
    expect(problem(await panel.post(`${at}/sign-in`, {}, { token }))).toEqual([403, 'token-scope'])
    const { url } = (await link({ user: 'ed' })).body
    const { items } = (await panel.get('/audit')).body
    const entry = items.find(({ operation }: Json) => operation === 'createWordpressLink')
    expect(entry).toMatchObject({ after: { user: 'ed' } })
    expect(JSON.stringify(entry)).not.toContain(new URL(url).searchParams.get('token'))
    const [features] = (await panel.get('/feature-lists')).body.items
    await panel.patch(`/feature-lists/${features.id}`, { features: { wordpress: false } })
    expect(problem(await link())).toEqual([403, 'feature-disabled'])
  })
})
