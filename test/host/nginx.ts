import { spawn } from 'node:child_process'
import { copyFileSync, mkdirSync, readdirSync, readFileSync, writeFileSync } from 'node:fs'
import { request } from 'node:http'
import { connect } from 'node:net'
import { join } from 'node:path'
import { onTestFinished } from 'vitest'
import { tempDir } from './helpers.ts'

export const nginx = '/usr/sbin/nginx'

/** The rendered files below another root, with the test's sockets instead of ports. */
export function nginxConf(root: string, more = ''): { conf: string; socket: string } {
  const dir = tempDir()
  const socket = join(dir, 's')
  const moved = (text: string) =>
    text
      .replace(/ (\/(?:etc|var|home)\/)/g, ` ${root}$1`)
      .replace(/=(\/home\/)/g, `=${root}$1`)
      .replace('unix:/run/panel-apps/', `unix:${root}/run/panel-apps/`)
      .replace('listen 80 default_server;', `listen unix:${socket} default_server;`)
      .replaceAll('listen 80;', `listen unix:${socket};`)
      .replaceAll('listen 443 ssl http2', `listen unix:${socket}s ssl http2`)
      .replace('unix:/run/panel-front/', `unix:${root}/run/panel-front/`)
      .replaceAll('unix:/run/panel-preview/', `unix:${root}/run/panel-preview/`)
      .replace(/ {2}listen \[::\].*\n/g, '')
  const sites = join(dir, 'sites')
  mkdirSync(sites)
  const from = join(root, 'etc/panel/nginx/sites')
  for (const name of readdirSync(from)) writeFileSync(join(sites, name), moved(readFileSync(join(from, name), 'utf8')))
  const [ownNames, ownFrom] = [join(dir, 'server'), join(root, 'etc/panel/nginx/server')]
  mkdirSync(ownNames)
  for (const name of readdirSync(ownFrom))
    writeFileSync(join(ownNames, name), moved(readFileSync(join(ownFrom, name), 'utf8')))
  const shared = moved(readFileSync(join(root, 'etc/panel/nginx/panel.conf'), 'utf8'))
    .replace(from, sites)
    .replace(ownFrom, ownNames)
  copyFileSync('/etc/nginx/fastcgi_params', join(dir, 'fastcgi_params'))
  const user = process.getuid?.() === 0 ? 'user root;' : ''
  const temps = ['client_body', 'proxy', 'fastcgi', 'uwsgi', 'scgi'].map((kind) => `${kind}_temp_path ${dir}/${kind};`)
  const http = `http { access_log off; ${temps.join(' ')} ${more}\n${shared}}`
  const conf = join(dir, 'nginx.conf')
  writeFileSync(conf, `${user} pid ${dir}/pid; daemon off; error_log stderr crit; events {}\n${http}\n`)
  return { conf, socket }
}

export const get = (socket: string, path: string, host = 'bob.example') =>
  new Promise<{ status: number; body: string; location?: string }>((resolve, reject) => {
    const call = request({ socketPath: socket, path, headers: { host }, agent: false }, async (answer) => {
      let body = ''
      for await (const chunk of answer) body += chunk
      const { location } = answer.headers
      resolve({ status: answer.statusCode!, body, ...(location === undefined ? {} : { location }) })
    })
    call.once('error', reject).end()
  })

/** Runs nginx with the rendered files; returns the socket that it listens on. */
export async function serve(root: string, more?: string): Promise<string> {
  const { conf, socket } = nginxConf(root, more)
  const child = spawn(nginx, ['-c', conf, '-e', 'stderr'], { stdio: 'ignore' })
  onTestFinished(async () => {
    const ended = new Promise((resolve) => child.once('exit', resolve))
    if (child.kill('SIGTERM')) await ended
  })
  for (let tries = 0; tries < 500 && !(await listens(socket)); tries++)
    await new Promise((resolve) => setTimeout(resolve, 10))
  return socket
}

/** The file exists a moment before anything listens. */
const listens = (socket: string): Promise<boolean> =>
  new Promise((resolve) => {
    const probe = connect(socket, () => resolve(probe.destroy() !== undefined))
    probe.once('error', () => resolve(false))
  })
