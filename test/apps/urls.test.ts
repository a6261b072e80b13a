import { expect, test } from 'vitest'
import type { Json } from '../harness.ts'
import { withAlice } from './fixtures.ts'

/** A static app with a live release, and what shows it. */
async function withRelease() {
  const all = await withAlice({})
  const domains = `/accounts/${all.alice.id}/domains`
  const { id } = await all.app()
  const release = await all.live(id, { 'index.html': 'hello' })
  const at = `${all.path}/${id}`
  const shows = async (name: string): Promise<Json> => {
    const { status, body } = await all.panel.post(domains, { name, handler: 'app', app_id: id })
    expect(status, JSON.stringify(body)).toBe(202)
    await all.panel.settle()
    return body.domain
  }
  const urls = async () => (await all.panel.get(`${at}/releases/${release.id}`)).body.release.urls
  return { ...all, at, domains, release, shows, urls }
}

test('a release has no urls while no domain shows its app', async () => {
  const { release, urls } = await withRelease()
  expect(release).not.toHaveProperty('urls')
  expect(await urls()).toBeUndefined()
})

test('a release names where visitors find it, by its domains in their order', async () => {
  const { shows, urls, panel, domains } = await withRelease()
  const first = await shows('shop.test')
  await shows('a.alice.example')
  expect(await urls()).toEqual(['https://shop.test/', 'https://a.alice.example/'])
  await panel.patch(`${domains}/${first.id}`, { handler: 'static' })
  expect(await urls()).toEqual(['https://a.alice.example/'])
})

test('the list of releases, a deploy and a rollback name them, too', async () => {
  const { panel, at, id, shows, deploy, release } = await withRelease().then((all) => ({
    ...all,
    id: all.at.split('/').at(-1)!,
  }))
  await shows('shop.test')
  const urls = ['https://shop.test/']
  const next = await deploy(id, { 'index.html': 'again' })
  expect([next.status, next.body.release.urls]).toEqual([202, urls])
  await panel.settle()
  expect((await panel.get(`${at}/releases`)).body.items.map((one: Json) => one.urls)).toEqual([urls, urls])
  const back = await panel.post(`${at}/rollback`, { release_id: release.id })
  expect([back.status, back.body.release.urls]).toEqual([202, urls])
})

test('a wildcard gives no address to visit', async () => {
  const { shows, urls } = await withRelease()
  await shows('shop.test')
  await shows('*.shop.test')
  expect(await urls()).toEqual(['https://shop.test/'])
})
