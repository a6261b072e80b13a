/** What setup writes where the web application firewall is wanted; sites check requests while it is there. */
export const wafRules = '/etc/panel/waf/main.conf'
/** Has nginx load the rules. */
export const wafInclude = '/etc/nginx/conf.d/panel-waf.conf'
/** The administrator's own rules. */
export const wafOwnRules = '/etc/panel/waf/custom.conf'
/** What the rules have found, as ModSecurity writes it. */
export const wafLog = '/var/log/panel/waf.log'
/** The same as rows. */
export const wafHitsFile = '/var/lib/panel-host/waf-hits.db'
