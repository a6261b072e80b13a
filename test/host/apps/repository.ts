import { execFileSync, spawn } from 'node:child_process'
import { existsSync, mkdirSync, readFileSync, symlinkSync, writeFileSync } from 'node:fs'
import type { IncomingMessage, ServerResponse } from 'node:http'
import { createServer } from 'node:https'
import { type AddressInfo, createServer as createSocket } from 'node:net'
import { userInfo } from 'node:os'
import { dirname, join } from 'node:path'
import { onTestFinished } from 'vitest'
import { eventually, shortDir } from './fixtures.ts'

const author = {
  GIT_AUTHOR_NAME: 'a',
  GIT_AUTHOR_EMAIL: 'a@b.example',
  GIT_COMMITTER_NAME: 'a',
  GIT_COMMITTER_EMAIL: 'a@b.example',
}
const env = { PATH: process.env['PATH'], HOME: '/nonexistent', GIT_CONFIG_NOSYSTEM: '1', ...author }

/** A bare repository and a way to add to it. */
export function repository() {
  const top = shortDir()
  const [bare, work] = [join(top, 'repo.git'), join(top, 'work')]
  const git = (...words: string[]): string => execFileSync('git', words, { cwd: work, env, encoding: 'utf8' }).trim()
  mkdirSync(work)
  execFileSync('git', ['init', '-q', '--bare', '-b', 'main', bare], { env })
  git('init', '-q', '-b', 'main')
  execFileSync('git', ['-C', bare, 'config', 'uploadpack.allowAnySHA1InWant', 'true'], { env })
  return {
    top,
    bare,
    git,
    /** Writes files, commits and pushes them; returns the commit. */
    commit(files: Readonly<Record<string, string>>, links: Readonly<Record<string, string>> = {}): string {
      for (const [path, content] of Object.entries(files)) {
        mkdirSync(dirname(join(work, path)), { recursive: true })
        writeFileSync(join(work, path), content)
      }
      for (const [path, target] of Object.entries(links)) symlinkSync(target, join(work, path))
      git('add', '-A')
      git('commit', '-q', '-m', 'more')
      git('push', '-q', bare, 'HEAD:main', '--tags')
      return git('rev-parse', 'HEAD')
    },
  }
}

export type Repository = ReturnType<typeof repository>

/** Serves a repository over https, with `credential` required if given. */
export async function overHttps({ top }: Repository, { credential = '', location = '', redirect = ['', ''] } = {}) {
  const [key, crt] = [join(top, 'tls.key'), join(top, 'tls.crt')]
  const subject = ['-subj', '/CN=git.example', '-addext', 'subjectAltName=DNS:git.example']
  execFileSync(
    'openssl',
    [
      'req',
      '-x509',
      '-newkey',
      'ec',
      '-pkeyopt',
      'ec_paramgen_curve:P-256',
      '-nodes',
      '-days',
      '1',
      '-keyout',
      key,
      '-out',
      crt,
      ...subject,
    ],
    { stdio: 'ignore' },
  )
  const requests: string[] = []
  const server = createServer({ key: readFileSync(key), cert: readFileSync(crt) }, (request, response) => {
    requests.push(`${request.method} ${request.url}`)
    const input = Buffer.from(request.headers.authorization?.split(' ')[1] ?? '', 'base64').toString()
    if (location) return void response.writeHead(302, { location }).end()
    const [from = '', to = ''] = redirect
    if (from !== '' && request.url!.startsWith(from))
      return void response.writeHead(301, { location: request.url!.replace(from, to) }).end()
    if (credential && input !== credential)
      return void response.writeHead(401, { 'www-authenticate': 'Basic realm="git"' }).end()
    backend(top, request, response)
  })
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve))
  onTestFinished(() => void server.close())
  const former = process.env['GIT_SSL_CAINFO']
  process.env['GIT_SSL_CAINFO'] = crt
  onTestFinished(() => {
    if (former === undefined) delete process.env['GIT_SSL_CAINFO']
    else process.env['GIT_SSL_CAINFO'] = former
  })
  const { port } = server.address() as AddressInfo
  return { url: `https://git.example:${port}/repo.git`, port, requests }
}

/** Like a web server runs git's own program. */
function backend(top: string, request: IncomingMessage, response: ServerResponse): void {
  const { pathname, search } = new URL(request.url!, 'https://git.example')
  const child = spawn('git', ['http-backend'], {
    env: {
      ...env,
      GIT_PROJECT_ROOT: top,
      GIT_HTTP_EXPORT_ALL: '1',
      PATH_INFO: pathname,
      QUERY_STRING: search.slice(1),
      REQUEST_METHOD: request.method,
      CONTENT_TYPE: request.headers['content-type'] ?? '',
      HTTP_CONTENT_ENCODING: request.headers['content-encoding'] ?? '',
      GIT_PROTOCOL: String(request.headers['git-protocol'] ?? ''),
    },
    stdio: ['pipe', 'pipe', 'inherit'],
  })
  request.pipe(child.stdin)
  const chunks: Buffer[] = []
  child.stdout.on('data', (chunk: Buffer) => chunks.push(chunk))
  child.once('close', () => answer(response, Buffer.concat(chunks)))
}

function answer(response: ServerResponse, output: Buffer): void {
  const end = output.indexOf('\r\n\r\n')
  const headers = output.subarray(0, end).toString('latin1').split('\r\n')
  for (const line of headers) {
    const [name, value] = line.split(': ') as [string, string]
    if (name === 'Status') response.statusCode = Number(value.split(' ')[0])
    else response.setHeader(name, value)
  }
  response.end(output.subarray(end + 4))
}

const places = [process.env['PANEL_TEST_SSHD'], '/usr/sbin/sshd', '/usr/local/sbin/sshd']
/** The SSH server's program, if installed. */
export const sshd = places.find((path) => path !== undefined && path !== '' && existsSync(path))

const keyAt = (path: string): string => {
  execFileSync('ssh-keygen', ['-q', '-t', 'ed25519', '-N', '', '-C', '', '-f', path])
  return readFileSync(`${path}.pub`, 'utf8').trim()
}

/** Serves repositories over ssh to one key; its host key can be replaced. */
export async function overSsh({ top, bare }: Repository) {
  const at = (name: string) => join(top, name)
  const user = keyAt(at('user'))
  const hostKey = keyAt(at('host'))
  writeFileSync(at('authorized'), `${user}\n`, { mode: 0o600 })
  const port = await freePort()
  const config = [
    `ListenAddress 127.0.0.1:${port}`,
    `HostKey ${at('host')}`,
    `AuthorizedKeysFile ${at('authorized')}`,
    ...[
      'StrictModes no',
      'UsePAM no',
      'PermitRootLogin prohibit-password',
      'PasswordAuthentication no',
      'PidFile none',
    ],
  ]
  writeFileSync(at('sshd_config'), `${config.join('\n')}\n`)
  if (userInfo().uid === 0) mkdirSync('/run/sshd', { recursive: true })
  const server = spawn(sshd!, ['-D', '-e', '-f', at('sshd_config')], { stdio: ['ignore', 'ignore', 'pipe'] })
  onTestFinished(() => void server.kill())
  let output = ''
  server.stderr.on('data', (chunk) => {
    output += chunk
  })
  await eventually(() => output).toContain('Server listening')
  const login = execFileSync('id', ['-un'], { encoding: 'utf8' }).trim()
  return {
    url: `ssh://${login}@git.example:${port}${bare}`,
    deployKey: readFileSync(at('user'), 'utf8'),
    hostKey: hostKey.split(' ').slice(0, 2).join(' '),
  }
}

const freePort = (): Promise<number> =>
  new Promise((resolve) => {
    const server = createSocket().listen(0, '127.0.0.1', () => {
      const { port } = server.address() as AddressInfo
      server.close(() => resolve(port))
    })
  })
