import { z } from 'zod'
import { gitRef } from '../../shared/git-ref.ts'
import { readGitUrl } from '../../shared/git-url.ts'
import { CommandLine } from '../command-line.ts'

export const appKinds = ['static', 'php', 'node', 'python'] as const
export type AppKind = (typeof appKinds)[number]
export const listens = ['socket', 'port'] as const

export const appDefaults = {
  listen: 'socket',
  build_timeout_s: 900,
  health_path: '/',
  health_timeout_s: 30,
  keep_releases: 5,
  running: true,
} as const

export const AppName = z
  .string()
  .regex(
    /^[a-z][a-z0-9-]{0,30}$/,
    'must start with a lower-case letter and contain only lower-case letters, digits and dashes, 31 characters at most',
  )

export const GitRef = z
  .string()
  .regex(gitRef, 'must be the name of a branch or tag as git allows it, or a commit of 40 digits')

const GitUrl = z
  .string()
  .max(2048)
  .refine(
    (text) => readGitUrl(text) !== undefined,
    'must be https://host/path, ssh://user@host/path or user@host:path, without a password in it; a directory of your own is sent by panel apps deploy --dir',
  )
  .describe('Repository: https://host/path, ssh://user@host/path or user@host:path')

const printable = (maxLength: number) =>
  z
    .string()
    .min(1)
    .max(maxLength)
    .regex(/^\P{Cc}+$/u, 'must not contain control characters')

const Root = z
  .string()
  .max(400)
  .regex(
    /^(?:\.|[A-Za-z0-9_][A-Za-z0-9._-]{0,254}(?:\/[A-Za-z0-9_][A-Za-z0-9._-]{0,254}){0,4})$/,
    'must be a path within the release, such as public or web/dist',
  )
  .describe(
    'What is served, or where commands run, within a release (default: public if it is there, of a static or php app; else the whole)',
  )

const HealthPath = z
  .string()
  .regex(/^\/(?!\/)[!-~]{0,1023}$/, 'must be a path that begins with one slash, without blanks')
  .describe('Path that is requested until it answers 2xx or 3xx (default: /)')

/** An app's settings; null resets to the default. */
export const appSettings = {
  git_url: GitUrl,
  git_branch: GitRef.describe('Branch or tag that is deployed (default: what the repository shows first)'),
  git_username: printable(255).describe('Username for the repository, over https'),
  git_password: printable(1024).describe('Password or token for the repository, over https; never shown'),
  listen: z
    .enum(listens)
    .describe(
      'What the variable PORT holds: the path of a socket, or the number of a port on 127.0.0.1 (default: socket)',
    ),
  root: Root,
  install: CommandLine.describe(
    'Command that installs what it needs (default: by its lock file with npm, pnpm, yarn or bun; or a .venv by requirements.txt or pyproject.toml)',
  ),
  build: CommandLine.describe('Command that builds a release'),
  start: CommandLine.describe('Command that starts it (default of a node app: npm start)'),
  build_timeout_s: z.int().min(10).max(3600).describe('Seconds that installing and building may take (default: 900)'),
  health_path: HealthPath,
  health_timeout_s: z.int().min(1).max(300).describe('Seconds until a release must be healthy (default: 30)'),
  keep_releases: z.int().min(1).max(20).describe('Releases that are kept, the live one among them (default: 5)'),
  running: z.boolean().describe('Whether the app runs (default: true)'),
}
