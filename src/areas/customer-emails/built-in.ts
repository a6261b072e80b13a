import type { LetterKind } from '../../contract/email-templates.ts'
import type { TemplateText } from './render.ts'

type Texts = Readonly<Record<LetterKind, TemplateText>>

const english: Texts = {
  welcome: {
    subject: 'Welcome to {{brand}}: your account {{username}}',
    body: `Your hosting account for {{domain}} is ready.

User name: {{username}}
Control panel:
{{panel_url}}

Mail, for reading: {{imap_host}}, port {{imap_port}} (IMAP with TLS)
Mail, for sending: {{smtp_host}}, port {{smtp_port}} (SMTP with TLS)
FTP: {{ftp_host}}, port {{ftp_port}}
SSH, where it is enabled: {{ssh_host}}, port {{ssh_port}}

Name servers for {{domain}}:
{{nameservers}}

You get your password from your provider; it is never sent by mail.
`,
  },
  quota: {
    subject: '{{name}} uses {{percent}} % of its space',
    body: `{{name}} uses {{used_mb}} of {{limit_mb}} MB: {{percent}} %.

When the space is used up, files cannot be saved and mail is refused. Delete what you no longer need, or ask for more space.

{{panel_url}}
`,
  },
  'certificate-failed': {
    subject: 'No certificate for {{name}}',
    body: `The certificate for {{name}} could not be issued or renewed:

{{reason}}

It is tried again automatically. Until it succeeds, visitors may be warned.

{{panel_url}}
`,
  },
  'backup-failed': {
    subject: 'A backup of {{username}} failed',
    body: `A backup of the account {{username}} failed:

{{reason}}

Earlier backups are not affected.

{{panel_url}}
`,
  },
  suspended: {
    subject: 'Your account {{username}} is suspended',
    body: `The account {{username}} ({{domain}}) was suspended at {{time}}.

Reason: {{reason}}

Its sites and services are stopped, and nothing was deleted. Reply to this message to reach your provider.
`,
  },
  unsuspended: {
    subject: 'Your account {{username}} is active again',
    body: `The account {{username}} ({{domain}}) is active again since {{time}}.

{{panel_url}}
`,
  },
  digest: {
    subject: '{{domain}} in {{month}}',
    body: `This is the monthly report for the account {{username}} ({{domain}}).

Disk space: {{disk_used_mb}} of {{disk_limit_mb}} MB
Complete backups: {{backups}}, the newest {{last_backup}}

What needs attention:
{{notices}}

{{panel_url}}
`,
  },
}

const german: Texts = {
  welcome: {
    subject: 'Willkommen bei {{brand}}: Ihr Konto {{username}}',
    body: `Ihr Hosting-Konto für {{domain}} ist bereit.

Benutzername: {{username}}
Verwaltung:
{{panel_url}}

E-Mail empfangen: {{imap_host}}, Port {{imap_port}} (IMAP mit TLS)
E-Mail senden: {{smtp_host}}, Port {{smtp_port}} (SMTP mit TLS)
FTP: {{ftp_host}}, Port {{ftp_port}}
SSH, wo es aktiviert ist: {{ssh_host}}, Port {{ssh_port}}

Nameserver für {{domain}}:
{{nameservers}}

Ihr Passwort erhalten Sie von Ihrem Anbieter; es wird nie per E-Mail verschickt.
`,
  },
  quota: {
    subject: '{{name}} belegt {{percent}} % des Speicherplatzes',
    body: `{{name}} belegt {{used_mb}} von {{limit_mb}} MB: {{percent}} %.

Ist der Platz aufgebraucht, lassen sich keine Dateien mehr speichern, und E-Mails werden abgelehnt. Löschen Sie, was Sie nicht mehr brauchen, oder fragen Sie nach mehr Platz.

{{panel_url}}
`,
  },
  'certificate-failed': {
    subject: 'Kein Zertifikat für {{name}}',
    body: `Das Zertifikat für {{name}} konnte nicht ausgestellt oder erneuert werden:

{{reason}}

Es wird automatisch erneut versucht. Bis dahin sehen Besucher möglicherweise eine Warnung.

{{panel_url}}
`,
  },
  'backup-failed': {
    subject: 'Eine Sicherung von {{username}} ist fehlgeschlagen',
    body: `Eine Sicherung des Kontos {{username}} ist fehlgeschlagen:

{{reason}}

Frühere Sicherungen sind nicht betroffen.

{{panel_url}}
`,
  },
  suspended: {
    subject: 'Ihr Konto {{username}} ist gesperrt',
    body: `Das Konto {{username}} ({{domain}}) wurde am {{time}} gesperrt.

Grund: {{reason}}

Websites und Dienste sind angehalten, gelöscht wurde nichts. Mit einer Antwort auf diese Nachricht erreichen Sie Ihren Anbieter.
`,
  },
  unsuspended: {
    subject: 'Ihr Konto {{username}} ist wieder aktiv',
    body: `Das Konto {{username}} ({{domain}}) ist seit {{time}} wieder aktiv.

{{panel_url}}
`,
  },
  digest: {
    subject: '{{domain}} im Monat {{month}}',
    body: `Dies ist der Monatsbericht für das Konto {{username}} ({{domain}}).

Speicherplatz: {{disk_used_mb}} von {{disk_limit_mb}} MB
Vollständige Sicherungen: {{backups}}, die neueste {{last_backup}}

Was Aufmerksamkeit braucht:
{{notices}}

{{panel_url}}
`,
  },
}

/** The texts that come with the panel, by language. */
export const builtIn: Readonly<Partial<Record<string, Texts>>> = { en: english, de: german }
