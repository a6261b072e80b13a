import { expect, test } from 'vitest'
import { occurred } from '../domains/fixtures.ts'
import { withAlice } from './fixtures.ts'

test('restores apps from a backup with their settings, secrets and domains', async () => {
  const { panel, alice, path, app, show } = await withAlice()
  const domains = `/accounts/${alice.id}/domains`
  const [domain] = (await panel.get(domains)).body.items
  const settings = { git_url: 'git@git.example:shop.git', start: 'node app.js', keep_releases: 3, domain_id: domain.id }
  const before = await app('shop', 'node', settings)
  const set = [
    { name: 'MODE', value: 'care' },
    { name: 'KEY', value: 'canary-Siskin-4725', secret: true },
  ]
  await panel.patch(`${path}/${before.id}/env`, { set })
  const backups = `/accounts/${alice.id}/backups`
  const { backup } = (await panel.post(backups, { parts: ['config'] })).body
  await occurred(panel)
  await panel.patch(`${domains}/${domain.id}`, { handler: 'static' })
  await panel.delete(`${path}/${before.id}`)
  await app('docs')
  await occurred(panel)
  expect((await panel.post(`${backups}/${backup.id}/restore`, { parts: ['config'], safety: false })).status).toBe(202)
  expect(await occurred(panel)).toEqual({ events: ['job.completed'], jobs: ['backup.restore succeeded'] })
  const apps = (await panel.get(path)).body.items
  expect(apps.map(({ name }: { name: string }) => name).sort()).toEqual(['docs', 'shop'])
  const { id } = apps.find(({ name }: { name: string }) => name === 'shop')
  const { id: _id, created_at: _made, updated_at: _changed, ...same } = before
  expect(await show(id)).toMatchObject(same)
  expect((await panel.get(`${path}/${id}/env`)).body.items).toMatchObject([
    { name: 'KEY', secret: true },
    { name: 'MODE', value: 'care' },
  ])
  expect((await panel.get(`${domains}/${domain.id}`)).body).toMatchObject({ handler: 'app', app_id: id })
})
