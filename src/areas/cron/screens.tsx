import { crud } from '../../web/kit/crud.ts'
import type { Screen } from '../../web/kit/screen.ts'
import { cronJob, looks, newCronJob } from './views/schedule.tsx'

export const screens: readonly Screen[] = [
  ...crud('listCronJobs', {
    path: '/cron',
    title: 'Cron jobs',
    one: 'cron job',
    member: 'cron_job',
    name: 'command',
    nav: { group: 'sites', order: 40 },
    find: ['schedule', 'crontab', 'command'],
    columns: ['command', 'schedule', 'enabled', 'next_run_at', 'last_run.outcome'],
    looks,
    hidden: ['schedule_description'],
    views: { one: cronJob, add: newCronJob },
    empty:
      'A cron job runs a command at set times, for example a script every night at 03:00. Its output is mailed to you.',
    add: 'Schedule a command',
    primary: ['command', 'schedule', 'comment'],
    presets: [
      { label: 'Every 5 minutes', fields: { schedule: '*/5 * * * *' } },
      { label: 'Every hour', fields: { schedule: '@hourly' } },
      { label: 'Every day at 03:00', fields: { schedule: '0 3 * * *' } },
      { label: 'Every Monday at 03:00', fields: { schedule: '0 3 * * 1' } },
      { label: 'On the 1st of each month at 03:00', fields: { schedule: '0 3 1 * *' } },
    ],
    deletes: ['Its runs and their output are deleted too. A run in progress ends.'],
    acts: { runCronJob: { done: 'The command was started.', label: 'Run now' } },
    sections: {
      runs: {
        run: 'listCronRuns',
        title: 'Runs',
        to: '/cron/{cron_job}/runs/{id}',
        columns: ['started_at', 'trigger', 'outcome', 'exit_code'],
      },
    },
  }),
  {
    path: '/cron/{cron_job}/runs/{run}',
    title: 'Run',
    shows: 'getCronRun',
  },
]
