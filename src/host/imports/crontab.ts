import { cronShortcuts } from '../../shared/cron-shortcuts.ts'
import type { SourceCron, SourceFinding } from '../contract/commands/imports.ts'
import { linesOf } from './text.ts'

/** The jobs of a crontab, with the settings that stand above each. */
export function cronOf(text: string, file: string, findings: SourceFinding[]): SourceCron[] {
  const settings: { mailTo?: string; shell?: string } = {}
  return linesOf(text).flatMap((line, at): SourceCron[] => {
    const own = line.trim()
    if (own === '' || own.startsWith('#')) return []
    const [, name, value] = /^([A-Za-z_]\w*)\s*=\s*(.*)$/.exec(own) ?? []
    if (name !== undefined) {
      const plain = value!.replace(/^(["'])(.*)\1$/, '$2')
      if (name === 'MAILTO') settings.mailTo = plain
      else if (name === 'SHELL') settings.shell = plain
      return []
    }
    const [, schedule, command] = /^(@\w+|(?:\S+\s+){4}\S+)\s+(\S.*)$/.exec(own) ?? []
    if (schedule === undefined) {
      findings.push({ part: 'cron', item: `line ${at + 1}`, text: 'is not a line of a crontab', file, line: at + 1 })
      return []
    }
    return [
      { line: at + 1, text: own, schedule: cronShortcuts.get(schedule) ?? schedule, command: command!, ...settings },
    ]
  })
}
