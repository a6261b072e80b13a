import { existsSync, readdirSync, renameSync } from 'node:fs'
import { join } from 'node:path'
import { expect, test } from 'vitest'
import { exhaust, nothing, occurred, problem } from '../domains/fixtures.ts'
import type { Json } from '../harness.ts'
import { root, withSites } from './fixtures.ts'

async function withSite(...more: string[]) {
  const sites = await withSites()
  const { panel, path, scan, wordpress, place } = sites
  for (const directory of more) wordpress(directory)
  return {
    ...sites,
    remove: async (name: string) => {
      const { [name]: site } = await scan()
      await occurred(panel)
      return panel.delete(`${path}/${site!['id']}?confirm=${encodeURIComponent(site!['url'])}`)
    },
    trashed: async (): Promise<string[]> => {
      const { items } = (await panel.get(path.replace('/wordpress', '/trash'))).body
      return items.map((item: Json) => item.path).sort()
    },
    entries: (directory: string) => readdirSync(place(directory)).sort(),
  }
}

const done = { events: ['job.completed'], jobs: ['wordpress.delete succeeded'] }

test('deleteWordpress moves the directory of a site to the trash, as a whole', async () => {
  const { panel, path, write, remove, trashed, entries } = await withSite(`${root}/blog`)
  write(`${root}/blog/own.txt`, 'x')
  write(`${root}/page.html`, 'x')
  const reply = await remove('alice.example/blog')
  expect(reply.body).toEqual({
    site: expect.objectContaining({ path: '/blog', status: 'deleting' }),
    job_id: expect.any(String),
  })
  expect(await occurred(panel)).toEqual(done)
  expect(await trashed()).toEqual([`${root}/blog`])
  expect(entries(root)).toEqual(expect.arrayContaining(['page.html']))
  expect((await panel.get(path)).body.total).toBe(0)
})

test('at a document root only what is of WordPress goes', async () => {
  const { panel, write, remove, trashed, entries, wordpress, domain } = await withSite(root)
  await domain('shop.example', { document_root: `${root}/shop` })
  wordpress(`${root}/shop`)
  wordpress(`${root}/blog`)
  for (const name of ['index.php', 'wp-login.php', 'wp-content/a.php', '.htaccess', 'mine.php', 'wp-x.txt'])
    write(`${root}/${name}`, 'x')
  await remove('alice.example')
  expect(await occurred(panel)).toEqual(done)
  expect(await trashed()).toEqual(
    ['.htaccess', 'index.php', 'wp-config.php', 'wp-content', 'wp-includes', 'wp-login.php', 'wp-settings.php'].map(
      (name) => `${root}/${name}`,
    ),
  )
  expect(entries(root)).toEqual(expect.arrayContaining(['blog', 'mine.php', 'shop', 'wp-x.txt']))
  expect(entries(`${root}/blog`)).toContain('wp-config.php')
})

test('a core with a directory of its own takes along the index.php that loads it', async () => {
  const { panel, write, remove, trashed } = await withSite(`${root}/wp`)
  write(`${root}/index.php`, "<?php require __DIR__ . '/wp/wp-blog-header.php';")
  await remove('alice.example')
  expect(await occurred(panel)).toEqual(done)
  expect(await trashed()).toEqual([`${root}/index.php`, `${root}/wp`])
})

test('needs the address as a confirmation, and changes nothing without', async () => {
  const { panel, path, scan, trashed } = await withSite(`${root}/blog`)
  const { 'alice.example/blog': site } = await scan()
  await occurred(panel)
  for (const query of ['', '?confirm=alice.example', '?confirm=http%3A%2F%2Falice.example%2F'])
    expect(problem(await panel.delete(`${path}/${site!['id']}${query}`))).toEqual([400, 'validation', 'confirm'])
  expect(await occurred(panel)).toEqual(nothing)
  expect(await trashed()).toEqual([])
})

test('what has no files is busy', async () => {
  const { panel, path, scan, place } = await withSite(`${root}/blog`)
  const { 'alice.example/blog': site } = await scan()
  renameSync(place(`${root}/blog`), place('moved'))
  await scan()
  const at = `${path}/${site!['id']}`
  expect(problem(await panel.delete(`${at}?confirm=${encodeURIComponent(site!['url'])}`))).toEqual([409, 'busy'])
  expect(problem(await panel.patch(at, { auto_update: 'all' }))).toEqual([409, 'busy'])
})

test('a deletion that fails leaves the site as it was', async () => {
  const { panel, path, write, remove, place, scan } = await withSite(`${root}/blog`)
  write('.trash', 'a file of that name')
  const { status, body } = await remove('alice.example/blog')
  expect(status).toBe(202)
  await exhaust(panel)
  expect(await occurred(panel)).toEqual({ events: ['job.failed'], jobs: ['wordpress.delete failed'] })
  expect((await panel.get(`${path}/${body.site.id}`)).body.status).toBe('active')
  expect(existsSync(join(place(`${root}/blog`), 'wp-config.php'))).toBe(true)
  expect((await scan())['alice.example/blog']).toMatchObject({ id: body.site.id, status: 'active' })
})
