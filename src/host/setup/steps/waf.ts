import { existsSync, rmSync } from 'node:fs'
import { wafInclude, wafLog, wafOwnRules, wafRules } from '../../debian/waf/places.ts'
import type { SetupContext } from '../context.ts'
import type { SetupStep } from '../step.ts'

const crs = '/usr/share/modsecurity-crs/rules'
/** All that read requests, but reputation and floods; answers are not read. */
const files = [
  '901-*',
  '903.*',
  '905-*',
  '911-*',
  '913-*',
  '920-*',
  '921-*',
  '922-*',
  '930-*',
  '931-*',
  '932-*',
  '933-*',
  '934-*',
  '941-*',
  '942-*',
  '943-*',
  '944-*',
  '949-*',
]

/**
 * Of a request's body; a longer one is not checked. Rules take time by the square of what they read, and a worker of nginx
 * answers nobody else meanwhile: 8 KB of quotation marks took 0.4 s, 64 KB took 6 s, a megabyte of SQL minutes.
 */
const MAX_BODY_BYTES = 8192
/** A rule that takes more steps than this for a text does not match it: nothing else waits meanwhile. */
const MAX_STEPS = 1000
const MAX_ARGUMENTS = 1000
const MAX_JSON_DEPTH = 64
/** Rules of the panel's own, below those of others. */
const ids = { long: 10_001, cut: 10_002, xml: 10_003, json: 10_004 }

const rules = `# Written by \`panel host setup\`; own rules: ${wafOwnRules}
SecRuleEngine DetectionOnly
SecRequestBodyAccess On
SecRequestBodyLimit ${MAX_BODY_BYTES}
SecRequestBodyNoFilesLimit ${MAX_BODY_BYTES}
SecRequestBodyLimitAction ProcessPartial
SecRequestBodyJsonDepthLimit ${MAX_JSON_DEPTH}
SecArgumentsLimit ${MAX_ARGUMENTS}
SecResponseBodyAccess Off
SecResponseBodyLimit 1
SecResponseBodyLimitAction ProcessPartial
SecPcreMatchLimit ${MAX_STEPS}
SecPcreMatchLimitRecursion ${MAX_STEPS}
SecArgumentSeparator &
SecCookieFormat 0
SecTmpDir /tmp
SecDataDir /tmp
SecAuditEngine RelevantOnly
SecAuditLogRelevantStatus "^$"
SecAuditLogParts AHZ
SecAuditLogFormat JSON
SecAuditLogType Serial
SecAuditLog ${wafLog}
SecRule REQUEST_HEADERS:Content-Length "@gt ${MAX_BODY_BYTES}" "id:${ids.long},phase:1,pass,nolog,ctl:requestBodyAccess=Off"
SecRule INBOUND_DATA_ERROR "@eq 1" "id:${ids.cut},phase:2,pass,nolog,ctl:ruleRemoveById=920130"
SecRule REQUEST_HEADERS:Content-Type "@rx ^(?:application(?:/soap[+]|/)|text/)xml" "id:${ids.xml},phase:1,pass,nolog,t:none,t:lowercase,ctl:requestBodyProcessor=XML"
SecRule REQUEST_HEADERS:Content-Type "@beginsWith application/json" "id:${ids.json},phase:1,pass,nolog,t:none,t:lowercase,ctl:requestBodyProcessor=JSON"
Include /etc/modsecurity/crs/crs-setup.conf
${files.map((name) => `Include ${crs}/REQUEST-${name}.conf`).join('\n')}
Include ${wafOwnRules}
`

const include = `# Written by \`panel host setup\`: loaded once, for all sites that check requests.
modsecurity_rules_file ${wafRules};
`

const ownRules = '# Rules of your own, in the language of ModSecurity. This file is never written again.\n'

/** Checks requests to sites by the rules of OWASP's Core Rule Set; only with \`--waf\`. */
export const waf: SetupStep = {
  name: 'waf',
  when: (facts) => facts.waf === true,
  packages: () => ['libnginx-mod-http-modsecurity', 'modsecurity-crs'],
  dirs: [{ path: '/etc/panel/waf', mode: 0o700 }],
  files: () => [
    { path: wafOwnRules, content: ownRules, mode: 0o600, seed: true },
    { path: wafRules, content: rules, mode: 0o600 },
    { path: wafInclude, content: include, mode: 0o644 },
  ],
  check: ['/usr/sbin/nginx', '-t', '-q'],
  units: () => [{ name: 'nginx.service', run: true, renew: 'reload' }],
}

/** Sites check nothing once accounts are applied; nginx then forgets the rules. */
export function removeWaf({ root }: Pick<SetupContext, 'root'>): boolean {
  const existing = [wafInclude, wafRules, wafLog].filter((path) => existsSync(root + path))
  for (const path of existing) rmSync(root + path)
  return existing.length > 0
}
