#!/usr/bin/env node
// Makes a Debian package of what is built: npm run deb [-- --out <folder>] [--system-node] [--quick]
import { execFileSync } from 'node:child_process'
import { createHash } from 'node:crypto'
import {
  chmodSync,
  cpSync,
  existsSync,
  mkdirSync,
  mkdtempSync,
  readdirSync,
  readFileSync,
  realpathSync,
  rmSync,
  symlinkSync,
  writeFileSync,
} from 'node:fs'
import { createRequire } from 'node:module'
import { tmpdir } from 'node:os'
import { basename, dirname, join } from 'node:path'
import { fileURLToPath } from 'node:url'
import { parseArgs } from 'node:util'
import { gzipSync } from 'node:zlib'

const root = fileURLToPath(new URL('..', import.meta.url))
const ownNode = 'usr/lib/panel/node'
const { values } = parseArgs({
  options: {
    out: { type: 'string', default: join(root, '.cache') },
    'system-node': { type: 'boolean', default: false },
    // Larger, and made in a tenth of the time.
    quick: { type: 'boolean', default: false },
  },
})
const systemNode = values['system-node']
const manifest = JSON.parse(readFileSync(join(root, 'package.json'), 'utf8'))
const architectures = { x64: 'amd64', arm64: 'arm64', arm: 'armhf', ia32: 'i386' }
const architecture = architectures[process.arch]
const nodeMajor = Number(process.versions.node.split('.')[0])

/** Packages that are no part of the bundles, with all that they need. */
const outside = ['better-sqlite3', '@node-rs/argon2', 'pino', 'reflect-metadata']

/** What a package needs to be built, not to run. */
const buildOnly = new Set(['prebuild-install', 'node-gyp'])

/** What belongs to building a package, not to running it. */
const idle =
  /\/(deps|src|test|tests|docs|examples?|benchmarks|fixtures|\.[a-z][^/]*)$|\.(md|ts|map|markdown|html|sh)$|^\/bin\.js$|\/build\/(?!Release$|Release\/better_sqlite3\.node$)/

function packageFolder(name, from) {
  for (let folder = from; folder !== dirname(folder); folder = dirname(folder)) {
    const found = join(folder, 'node_modules', name)
    if (existsSync(found)) return found
  }
  return undefined
}

/** Every folder of node_modules that these need; what is optional only where it is there. */
function folders(names, from, known = new Set()) {
  for (const [name, optional] of names.filter(([name]) => !buildOnly.has(name))) {
    const folder = packageFolder(name, from)
    if (!folder && !optional) throw new Error(`${name} is not installed`)
    if (!folder || known.has(folder)) continue
    known.add(folder)
    const { dependencies = {}, optionalDependencies = {} } = JSON.parse(
      readFileSync(join(folder, 'package.json'), 'utf8'),
    )
    const needed = Object.keys(dependencies).map((one) => [one, one in optionalDependencies])
    folders([...needed, ...Object.keys(optionalDependencies).map((one) => [one, true])], folder, known)
  }
  return known
}

function put(stage, path, content, mode = 0o644) {
  const file = join(stage, path)
  mkdirSync(dirname(file), { recursive: true })
  writeFileSync(file, content)
  chmodSync(file, mode)
}

function copyProgram(stage) {
  const program = join(stage, 'usr/lib/panel')
  for (const name of ['dist', 'completions', 'openapi.json', 'package.json'])
    cpSync(join(root, name), join(program, name), { recursive: true })
  put(stage, 'usr/lib/panel/bin/package.json', readFileSync(join(root, 'bin/package.json')))
  const start = readFileSync(join(root, 'bin/panel.js'), 'utf8').replace(
    /^#!.*/,
    `#!/${systemNode ? 'usr/bin/node' : ownNode}`,
  )
  put(stage, 'usr/lib/panel/bin/panel.js', start, 0o755)
  mkdirSync(join(stage, 'usr/bin'), { recursive: true })
  symlinkSync('../lib/panel/bin/panel.js', join(stage, 'usr/bin/panel'))
}

function copyPackages(stage) {
  for (const folder of folders(
    outside.map((name) => [name, false]),
    root,
  )) {
    cpSync(folder, join(stage, 'usr/lib/panel', folder.slice(root.length)), {
      recursive: true,
      filter: (path) => !idle.test(path.slice(folder.length)),
    })
  }
  for (const addon of addons(join(stage, 'usr/lib/panel/node_modules/better-sqlite3'))) strip(addon)
}

const shells = {
  'panel.bash': 'usr/share/bash-completion/completions/panel',
  _panel: 'usr/share/zsh/vendor-completions/_panel',
  'panel.fish': 'usr/share/fish/vendor_completions.d/panel.fish',
}

function copyShared(stage) {
  for (const [from, to] of Object.entries(shells)) put(stage, to, readFileSync(join(root, 'completions', from)))
  for (const page of readdirSync(join(root, 'man'))) {
    const text = gzipSync(readFileSync(join(root, 'man', page)), { level: 9 })
    put(stage, `usr/share/man/man${page.at(-1)}/${page}.gz`, text)
  }
  put(stage, 'usr/share/lintian/overrides/panel', readFileSync(packaging('lintian-overrides')))
  put(stage, 'usr/share/doc/panel/copyright', copyright())
  put(stage, 'usr/share/doc/panel/changelog.gz', gzipSync(changelog(), { level: 9 }))
  put(stage, 'usr/share/doc/panel/CHANGELOG.md.gz', gzipSync(readFileSync(join(root, 'CHANGELOG.md')), { level: 9 }))
}

/** Named from the environment, as Debian's own tools do. */
const maintainer = `${process.env.DEBFULLNAME ?? 'panel'} <${process.env.DEBEMAIL ?? 'root@localhost'}>`

const changelog = () => `panel (${manifest.version}) unstable; urgency=medium

  * What is new is in CHANGELOG.md.

 -- ${maintainer}  ${new Date().toUTCString().replace('GMT', '+0000')}
`

const copyright = () => `Format: https://www.debian.org/doc/packaging-manuals/copyright-format/1.0/
Upstream-Name: panel

Files: *
Copyright: the authors of panel
License: Expat

Files: usr/lib/panel/npm/*
Copyright: npm, Inc. and Contributors
License: Artistic-2.0
 The whole text is in usr/lib/panel/npm/LICENSE.

License: Expat
${readFileSync(join(root, 'LICENSE'), 'utf8')
  .trim()
  .split('\n')
  .map((line) => ` ${line.trim() || '.'}`)
  .join('\n')}
`

const packaging = (path) => join(root, 'packaging', path)

function copyUnits(stage) {
  for (const unit of readdirSync(packaging('units')))
    put(stage, `usr/lib/systemd/system/${unit}`, readFileSync(packaging(`units/${unit}`)))
}

/** Debian 12 has an older Node than panel needs: the package brings its own. */
function copyNode(stage) {
  const node = join(stage, ownNode)
  cpSync(realpathSync(process.execPath), node)
  chmodSync(node, 0o755)
  strip(node)
}

/** What of npm is not needed to run it. */
const npmPapers = /\/(docs|man)$|\.(md|cmd|ps1|map|d\.ts)$/

/** Programs of accounts find Node here, where the machine has none of its own, and the npm that came with it. */
function copyPrograms(stage) {
  mkdirSync(join(stage, 'usr/lib/panel/programs'), { recursive: true })
  symlinkSync('../node', join(stage, 'usr/lib/panel/programs/node'))
  const npm = join(dirname(realpathSync(process.execPath)), '../lib/node_modules/npm')
  if (!existsSync(npm)) return
  cpSync(npm, join(stage, 'usr/lib/panel/npm'), {
    recursive: true,
    filter: (path) => !npmPapers.test(path.slice(npm.length)),
  })
  for (const name of ['npm', 'npx'])
    put(
      stage,
      `usr/lib/panel/programs/${name}`,
      `#!/bin/sh\nexec node /usr/lib/panel/npm/bin/${name}-cli.js "$@"\n`,
      0o755,
    )
}

/** What better-sqlite3 has compiled: by itself, or for each platform beside the others. Only this platform's stay. */
function addons(folder) {
  const own = join(folder, `prebuilds/${process.platform}-${process.arch}.node`)
  const prebuilt = existsSync(own) ? readdirSync(dirname(own)).map((name) => join(dirname(own), name)) : []
  for (const file of prebuilt) if (file !== own) rmSync(file)
  return [own, join(folder, 'build/Release/better_sqlite3.node')].filter((file) => existsSync(file))
}

/** Smaller where it can be had. */
function strip(file) {
  try {
    execFileSync('strip', ['--strip-unneeded', file])
  } catch (error) {
    if (error.code !== 'ENOENT') throw error
  }
}

const depends = () =>
  [
    'libc6 (>= 2.28)',
    'libstdc++6',
    ...(systemNode ? [`nodejs (>= ${nodeMajor}.17)`, `nodejs (<< ${nodeMajor + 1}~)`] : []),
  ].join(', ')

const control = (size) => `Package: panel
Version: ${manifest.version}
Architecture: ${architecture}
Maintainer: ${maintainer}
Installed-Size: ${size}
Depends: ${depends()}
Suggests: bash-completion
Section: admin
Priority: optional
Description: web-hosting control panel
 Hosts accounts on this machine: sites, PHP, zones, mail, databases, FTP.
 Accounts, packages, resellers, webhooks and background jobs are behind one
 command line and one HTTP API, served by one process over one SQLite file.
`

function describe(stage) {
  const size = Number(execFileSync('du', ['-ks', stage], { encoding: 'utf8' }).split('\t')[0])
  put(stage, 'DEBIAN/control', control(size))
  for (const name of readdirSync(packaging('scripts')))
    put(stage, `DEBIAN/${name}`, readFileSync(packaging(`scripts/${name}`)), 0o755)
  put(stage, 'DEBIAN/md5sums', sums(stage))
}

const sums = (stage) =>
  execFileSync('find', ['usr', '-type', 'f', '-exec', 'md5sum', '{}', '+'], { cwd: stage, encoding: 'utf8' })

const runnable = /\/(bin\/panel\.js|usr\/lib\/panel\/(node|programs\/np[mx])|DEBIAN\/(postinst|prerm|postrm))$/

/** Folders for everybody, programs and scripts to run, files to read. */
function setModes(folder) {
  for (const entry of readdirSync(folder, { withFileTypes: true })) {
    const path = join(folder, entry.name)
    if (entry.isDirectory()) setModes(path)
    else if (entry.isFile() && !runnable.test(path)) chmodSync(path, 0o644)
  }
  chmodSync(folder, 0o755)
}

if (!architecture) throw new Error(`no Debian architecture is known for ${process.arch}`)
createRequire(import.meta.url).resolve('better-sqlite3')
const stage = mkdtempSync(join(tmpdir(), 'panel-deb-'))
try {
  const steps = [
    copyProgram,
    copyPackages,
    copyShared,
    copyUnits,
    ...(systemNode ? [] : [copyNode, copyPrograms]),
    describe,
  ]
  for (const step of steps) step(stage)
  setModes(stage)
  mkdirSync(values.out, { recursive: true })
  const file = join(values.out, `panel_${manifest.version}_${architecture}.deb`)
  const compression = values.quick ? ['-Zgzip', '-z1'] : ['-Zxz', '-z3']
  execFileSync('dpkg-deb', ['--root-owner-group', ...compression, '--build', stage, file], {
    stdio: ['ignore', 'ignore', 'inherit'],
  })
  const sum = createHash('sha256').update(readFileSync(file)).digest('hex')
  writeFileSync(`${file}.sha256`, `${sum}  ${basename(file)}\n`)
  process.stdout.write(`${file}\n`)
} finally {
  rmSync(stage, { recursive: true, force: true })
}
