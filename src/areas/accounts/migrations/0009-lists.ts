/** Lists accounts by status; the audit trail names the account that was changed. */
export const sql = `
ALTER TABLE audit ADD COLUMN username TEXT;
ALTER TABLE accounts ADD COLUMN status TEXT GENERATED ALWAYS AS (
  CASE WHEN terminating THEN 'terminating' WHEN suspended_at IS NOT NULL THEN 'suspended'
    WHEN provisioned THEN 'active' ELSE 'provisioning' END) VIRTUAL;
CREATE INDEX accounts_status ON accounts (status, id);
`
