import type { WordpressTask } from '../contract/commands/wordpress.ts'
import { begin } from './php-begin.ts'
import { taskScripts, withoutWordpress } from './php-tasks.ts'

export interface TaskScript {
  readonly task: WordpressTask
  /** What surrounds the answer. */
  readonly mark: string
  /** The directory of WordPress itself. */
  readonly core: string
  readonly url: string
  readonly input: object
  /** What WordPress finds defined, whatever its configuration says. */
  readonly constants: Readonly<Record<string, string | boolean>>
}

const load = `require Panel_Task::loader();
Panel_Task::loaded();
`

/** As the web server would. */
const page = `chdir(Panel_Task::path(Panel_Task::input()['index']));
require getcwd() . '/index.php';
`

/** WordPress would send a visitor to its installation, and would guess its address. */
const installing = (url: string) => ({ WP_INSTALLING: true, WP_SITEURL: url.replace(/\/$/, '') })

/** PHP for standard input, so that nothing of it is in a list of processes. WordPress is loaded in the global scope. */
export function taskScript({ task, ...request }: TaskScript): string {
  const constants = { ...request.constants, ...(task === 'install' && installing(request.url)) }
  const encoded = Buffer.from(JSON.stringify({ ...request, constants })).toString('base64')
  if (task === 'visit')
    return `<?php${begin}
Panel_Task::beginPage('${encoded}');
${page}`
  return `<?php${begin}
Panel_Task::begin('${encoded}');
${withoutWordpress.has(task) ? '' : load}${taskScripts[task]}`
}
