/** Lists of features made before there were filters leave them off, but for the default one. */
export const sql = `
CREATE TABLE email_filters (
  mailbox_id TEXT PRIMARY KEY REFERENCES email_mailboxes (id) ON DELETE CASCADE,
  filters TEXT NOT NULL
) STRICT;
UPDATE feature_lists SET features = json_set(features, '$.email_filters', json('false')) WHERE name <> 'default' AND json_valid(features);
`
