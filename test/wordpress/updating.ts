import { execFileSync } from 'node:child_process'
import { existsSync, mkdirSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { dirname, join } from 'node:path'
import { exhaust, occurred } from '../domains/fixtures.ts'
import type { PanelOptions } from '../harness.ts'
import { coreFiles } from './core.ts'
import { configOf, root, versionOf, withSites } from './fixtures.ts'
import { archiveFiles, sourceDirectory } from './source.ts'

/** A plugin as its site loads it: its version, and code that runs on each page. */
const pluginText = (version: string, code = ''): string => `<?php\n/* Version: ${version} */\n${code}`

/** The plugins that are installed, by what is on the disk. */
const installed = `<?php function get_plugins() {
  $found = [];
  foreach (glob(WP_PLUGIN_DIR . '/*/*.php') as $file) {
    preg_match('~Version: ([0-9.]+)~', file_get_contents($file), $version);
    $found[basename(dirname($file)) . '/' . basename($file)] = ['Name' => basename(dirname($file)), 'Version' => $version[1] ?? ''];
  }
  return $found;
}`

/** A page that loads all plugins, as WordPress would those that are active. */
const page = `<?php
foreach (glob(__DIR__ . '/wp-content/plugins/*/*.php') as $file) require $file;
echo '<html><head><title>Shop of Alice</title></head><body>', str_repeat('Welcome to the little shop. ', 20), $_SERVER['REQUEST_URI'], '</body></html>';
`

function zipOf(slug: string, files: Readonly<Record<string, string>>): Buffer {
  const built = mkdtempSync(join(tmpdir(), 'panel-zip-'))
  for (const [path, text] of Object.entries(files)) {
    mkdirSync(dirname(join(built, slug, path)), { recursive: true })
    writeFileSync(join(built, slug, path), text)
  }
  execFileSync('python3', ['-m', 'zipfile', '-c', 'a.zip', slug], { cwd: built })
  const bytes = readFileSync(join(built, 'a.zip'))
  rmSync(built, { recursive: true })
  return bytes
}

/** The account alice with a site of WordPress 6.7 and the plugins one, two and three in version 1.0. */
export async function withUpdates(options: PanelOptions = {}) {
  const sites = await withSites({ trustTenants: true, ...options })
  const { panel, write, place, wordpress, scan } = sites
  const source = sourceDirectory()
  mkdirSync(join(source.directory, 'plugins'))
  mkdirSync(join(source.directory, 'themes'))
  await panel.patch('/settings', { wordpress_source: source.directory })
  wordpress(root, configOf(), '6.7')
  const files = { ...coreFiles(), 'wp-admin/includes/plugin.php': installed, 'index.php': page }
  for (const [name, text] of Object.entries(files)) write(`${root}/${name}`, text)
  for (const slug of ['one', 'two', 'three']) write(`${root}/wp-content/plugins/${slug}/${slug}.php`, pluginText('1.0'))
  // The stub calls these active.
  write(
    `${root}/wp-load.php`,
    coreFiles()['wp-load.php']!.replace(`['good/good.php'],`, `['one/one.php', 'two/two.php', 'three/three.php'],`),
  )
  mkdirSync(place(`${root}/wp-content/themes`), { recursive: true })
  const { 'alice.example': site } = await scan()
  await occurred(panel)
  const at = `${sites.path}/${site!['id']}`
  const plugin = (slug: string): string => `${root}/wp-content/plugins/${slug}/${slug}.php`
  return {
    ...sites,
    source,
    at,
    offer(slug: string, version: string, code = '', more: Readonly<Record<string, string>> = {}): void {
      source.add(`plugins/${slug}.${version}.zip`, zipOf(slug, { [`${slug}.php`]: pluginText(version, code), ...more }))
    },
    offerCore(version: string, files: Readonly<Record<string, string>> = {}): void {
      const core = {
        ...archiveFiles(version),
        ...coreFiles(),
        'wp-admin/includes/plugin.php': installed,
        'index.php': page,
      }
      source.archive(`wordpress-${version}.tar.gz`, { ...core, 'wp-content/plugins/hello.php': '<?php', ...files })
    },
    versionOfPlugin: (slug: string) => /Version: ([\d.]+)/.exec(readFileSync(place(plugin(slug)), 'utf8'))?.[1],
    coreVersion: () => readFileSync(place(`${root}/wp-includes/version.php`), 'utf8'),
    isThere: (name: string) => existsSync(place(name)),
    async update(body: object = {}) {
      const reply = await panel.post(`${at}/update`, body)
      await exhaust(panel)
      return reply
    },
    async job(id: string) {
      const { job, log } = (await panel.get(`/jobs/${id}`)).body
      return { status: job.status, error: job.error, log: log.map((line: { message: string }) => line.message) }
    },
    status: async () => (await panel.get(at)).body.status,
    versionText: versionOf,
  }
}
