import { spawn } from 'node:child_process'
import { existsSync, mkdirSync, writeFileSync } from 'node:fs'
import { request } from 'node:http'
import { connect, createServer } from 'node:net'
import { dirname, join } from 'node:path'
import { describe, expect, onTestFinished, test } from 'vitest'
import { programNames } from '../../src/host/contract/programs.ts'
import { places } from '../../src/host/parts/server/programs.ts'
import { vhosts } from '../../src/host/parts/server/vhosts.ts'
import { soon } from '../wait-for.ts'
import { tempDir } from './helpers.ts'
import { nginx } from './nginx.ts'

type Program = (typeof programNames)[number]

/** The program's server block in a real nginx; returns the response, and what its PHP received. */
async function served(program: Program, answers = true) {
  const root = tempDir()
  const socket = join(root, 's')
  const received: string[] = []
  const php = createServer((stream) =>
    stream.once('data', (bytes) => {
      received.push(String(bytes))
      if (answers) stream.end()
    }),
  )
  await new Promise<void>((resolve) => php.listen(join(root, 'fpm'), resolve))
  onTestFinished(() => void php.close())
  const moved = places[program].map((line) =>
    line.replace(/ root (\/\S+);/, ` root ${root}$1;`).replace(/unix:\S+fpm\.sock/, `unix:${root}/fpm`),
  )
  const temps = ['client_body', 'proxy', 'fastcgi', 'uwsgi', 'scgi'].map((kind) => `${kind}_temp_path ${root}/${kind};`)
  const lines = [
    'limit_conn_zone $panel_account zone=panel_uploads:1m;',
    'limit_conn_zone $request_method zone=panel_programs:1m;',
    `server { listen unix:${socket};`,
    ...moved,
    '}',
  ].join('\n')
  writeFileSync(
    join(root, 'nginx.conf'),
    `${process.getuid?.() === 0 ? 'user root;' : ''} pid ${root}/pid; daemon off; error_log stderr crit; events {}\nhttp { ${temps.join(' ')}\n${lines}\n}\n`,
  )
  const child = spawn(nginx, ['-c', join(root, 'nginx.conf'), '-e', 'stderr'], { stdio: 'ignore' })
  onTestFinished(() => void child.kill('SIGTERM'))
  for (let tries = 0; tries < 500 && !(await listens(socket)); tries++)
    await new Promise((resolve) => setTimeout(resolve, 10))
  const has = (path: string): void => {
    mkdirSync(dirname(join(root, path)), { recursive: true })
    writeFileSync(join(root, path), 'x')
  }
  const ask = (path: string, headers: Record<string, string> = {}): Promise<number> =>
    new Promise((resolve, reject) => {
      const call = request({ socketPath: socket, path, headers, agent: false }, (answer) => {
        answer.resume()
        resolve(answer.statusCode!)
      })
      call.once('error', reject).end()
    })
  return { has, ask, received }
}

const listens = (socket: string): Promise<boolean> =>
  new Promise((resolve) => {
    const probe = connect(socket, () => resolve(probe.destroy() !== undefined))
    probe.once('error', () => resolve(false))
  })

/** PHP closes the connection without a response: nginx has asked it. */
const requests = 502

describe.skipIf(!existsSync(nginx))('nginx', () => {
  const root = { phpmyadmin: '/usr/share/phpmyadmin', webmail: '/var/lib/roundcube/public_html' }

  test('serves the pages of phpMyAdmin, and nothing else of its package', async () => {
    const { has, ask } = await served('phpmyadmin')
    for (const path of [
      'js/a.js',
      'themes/b.css',
      'setup/index.php',
      'sql/c.sql',
      'show_config_errors.php',
      'index.php',
    ])
      has(`${root.phpmyadmin}/${path}`)
    const codes = async (...paths: string[]) => Promise.all(paths.map((path) => ask(path)))
    expect(await codes('/', '/index.php?route=/sql', '/url.php?url=x', '/open?token=x')).toEqual(
      Array(4).fill(requests),
    )
    expect(await codes('/js/a.js', '/themes/b.css', '/js/none.js')).toEqual([200, 200, 404])
    const others = ['/setup/index.php', '/sql/c.sql', '/show_config_errors.php', '/open.php', '/js/../sql/c.sql']
    expect(await codes(...others)).toEqual(Array(5).fill(404))
  })

  test('serves the page of Roundcube, and nothing else of its package', async () => {
    const { has, ask } = await served('webmail')
    for (const path of [
      'program/js/a.js',
      'skins/elastic/watermark.html',
      'skins/elastic/templates/b.html',
      'index.php',
    ])
      has(`${root.webmail}/${path}`)
    has(`${root.webmail}/plugins/panel/panel.php`)
    const codes = async (...paths: string[]) => Promise.all(paths.map((path) => ask(path)))
    expect(await codes('/', '/?_task=mail', '/index.php', '/open?token=x')).toEqual(Array(4).fill(requests))
    expect(await codes('/program/js/a.js', '/skins/elastic/watermark.html')).toEqual([200, 200])
    const others = [
      '/plugins/panel/panel.php',
      '/skins/elastic/templates/b.html',
      '/installer/',
      '/config/config.inc.php',
    ]
    expect(await codes(...others)).toEqual(Array(4).fill(404))
  })

  test.each(programNames)('passes to %s its own cookies, and none of the panel', async (program) => {
    const { ask, received } = await served(program)
    await ask('/', { cookie: 'session=own', 'x-panel': 'y' })
    await ask('/', { cookie: 'session=own; panel_user=secret' })
    await ask('/', { cookie: 'session=own; __Host-panel_user=secret' })
    await ask('/open?token=x', { cookie: 'panel_admin=secret', proxy: 'evil' })
    expect(received.map((one) => one.includes('session=own'))).toEqual([true, false, false, false])
    expect(received.join('')).not.toMatch(/panel_(?:admin|user)|secret|evil/)
    expect(received.map((one) => one.includes('PANEL_LINK'))).toEqual([false, false, false, program === 'webmail'])
  })
})

describe.skipIf(!existsSync(nginx))('scripts that take long', () => {
  test.each(programNames)('take one address eight places of %s', async (program) => {
    const { ask, received } = await served(program, false)
    const pending = Array.from({ length: 8 }, () => ask('/').catch(() => 0))
    await soon(() => expect(received).toHaveLength(8))
    expect(await ask('/')).toBe(429)
    expect(received).toHaveLength(8)
    void Promise.all(pending)
  })
})

test('a program that is not set up has no pages', () => {
  const state = { hostname: 'host.example', webmail: 'mail.host.example', phpmyadmin: 'db.host.example', front: false }
  const of = (...programs: Program[]) => vhosts(state as never, { programs }).join('\n')
  expect(of()).not.toContain('fpm.sock')
  expect(of('webmail')).toContain('unix:/run/panel-webmail/fpm.sock')
  expect(of('webmail')).not.toContain('panel-phpmyadmin')
  expect(of('phpmyadmin').split('server_name db.host.example;').at(-1)).toContain('panel-phpmyadmin/fpm.sock')
})
