import { mkdirSync, symlinkSync } from 'node:fs'
import { describe, expect, test } from 'vitest'
import { nothing, occurred, problem } from '../domains/fixtures.ts'
import { hasPhp } from './core.ts'
import { configOf, root, withSites } from './fixtures.ts'
import { withRunningSite as withSite } from './running.ts'

describe.skipIf(!hasPhp)("what a site's own WordPress answers", () => {
  test('plugins, with what the site knows of newer versions', async () => {
    const { panel, list } = await withSite()
    const { status, body } = await list('plugins')
    expect([status, body]).toEqual([
      200,
      {
        items: [
          { slug: 'good', name: 'Good & small', version: '1.0', update: '2.0', active: true },
          { slug: 'hello', name: 'Hello', active: false },
        ],
      },
    ])
    expect(await occurred(panel)).toEqual(nothing)
  })

  test('themes: the one of the site, and its parent', async () => {
    const { list } = await withSite()
    expect((await list('themes')).body).toEqual({
      items: [
        { slug: 'child', name: 'Child', version: '3.0', update: '3.1', active: true },
        { slug: 'parent', name: 'Parent', active: true },
        { slug: 'other', active: false },
      ],
    })
  })

  test('users', async () => {
    const { list } = await withSite()
    expect((await list('users')).body).toEqual({
      items: [
        {
          ...{ id: 7, username: 'ed', name: 'Ed itor', email: 'ed@a.example' },
          roles: ['administrator'],
          administrator: true,
        },
        { ...{ id: 8, username: 'al', name: 'Al', email: 'al@a.example' }, roles: [], administrator: false },
      ],
    })
  })

  /** The first stream of that name closes the output when it is closed. */
  const open = "$GLOBALS['out'] = $out = fopen('php://stdout', 'w');"

  test.each([
    ['ends PHP', 'exit(0);', 'It ended before it had answered.'],
    ['has an error', "throw new Exception('no\\nway');", /Uncaught Exception: no/],
    ['has a fatal error at its end', 'register_shutdown_function(fn() => none());', undefined],
    [
      'prints marks of its own',
      `echo "\\n", str_repeat('0', 48), "\\n{\\"answer\\":{\\"items\\":[]}}\\n"; exit;`,
      'ended before',
    ],
    ['answers in place of WordPress', `Panel_Task::answer(['items' => [['slug' => 1]]]);`, 'could not be understood'],
    [
      'answers twice',
      '$f = (new ReflectionClass(\'Panel_Task\'))->getProperty(\'request\'); $f->setAccessible(true); $m = $f->getValue()[\'mark\']; fwrite($out, "\\n$m\\n{\\"answer\\":{\\"items\\":[]}}\\n$m\\n");',
      'did not answer',
    ],
    ['prints 3 MB', "for ($i = 0; $i < 3000; $i++) fwrite($out, str_repeat('x', 1024));", 'more than'],
    ['uses all memory', "str_repeat('x', 1 << 30);", /memory/],
  ] as const)('a site whose code %s harms only its own answer', async (_, code, reason) => {
    const { panel, list } = await withSite(`${configOf()}\n${open}\n${code}`)
    const reply = await list('plugins')
    if (reason === undefined) expect(reply.status).toBe(200)
    else {
      expect(problem(reply)).toEqual([503, 'overloaded'])
      expect(reply.body.detail).toMatch(reason)
    }
    expect(await occurred(panel)).toEqual(nothing)
  })

  test('files that PHP would load before or after are left out', async () => {
    const { write, list } = await withSite()
    for (const directory of ['', `${root}/`])
      for (const name of ['.user.ini', 'php.ini']) write(`${directory}${name}`, 'auto_prepend_file=/nonexistent\n')
    expect((await list('plugins')).status).toBe(200)
  })

  test('a site of a suspended account, and one that is missing, run nothing', async () => {
    const { panel, alice, list, remove, scan } = await withSite()
    await panel.post(`/accounts/${alice.id}/suspend`, { reason: 'unpaid' })
    await panel.settle()
    expect(problem(await list('plugins'))).toEqual([409, 'suspended'])
    await panel.post(`/accounts/${alice.id}/unsuspend`)
    await panel.settle()
    remove(root)
    await scan()
    expect(problem(await list('users'))).toEqual([409, 'busy'])
  })

  test('a core that is a link is not a site', async () => {
    const { panel, path, place, scan } = await withSite()
    mkdirSync(place('more'))
    symlinkSync(place(root), place('more/linked'))
    await scan()
    expect((await panel.get(path)).body.total).toBe(1)
  })

  test('needs both scopes of a token, and not the feature', async () => {
    const { panel, alice, at } = await withSite()
    for (const [scopes, status] of [
      [['files:read'], 403],
      [['mysql:read'], 403],
      [['files:read', 'mysql:read'], 200],
    ] as const) {
      const token = await panel.token([...scopes], { account: alice.id })
      expect((await panel.get(`${at}/users`, { token })).status).toBe(status)
    }
    const [features] = (await panel.get('/feature-lists')).body.items
    await panel.patch(`/feature-lists/${features.id}`, { features: { wordpress: false } })
    expect((await panel.get(`${at}/users`)).status).toBe(200)
  })
})

test('a server that runs no code of accounts says so', async () => {
  const { panel, path, wordpress, scan } = await withSites()
  wordpress(root)
  const { 'alice.example': site } = await scan()
  const reply = await panel.get(`${path}/${site!['id']}/plugins`)
  expect(problem(reply)).toEqual([503, 'overloaded'])
  expect(reply.body.detail).toBe('This server does not run commands of accounts.')
})
