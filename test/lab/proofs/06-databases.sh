# A user of a database opens what it was granted alone, from where it may; suspended it opens nothing.
. "$(dirname "$0")/../lib.sh"
export MYSQL_PWD=canary-Sandpiper-6631
sql() { mariadb --no-defaults --batch --skip-column-names -u "$1" "${@:3}" -e "$2" 2>&1; }
may() { sql "$@" > /dev/null 2>&1 && echo yes || echo no; }
user() { quietly bash -c "printf %s '$MYSQL_PWD' | panel mysql users create $2 -a $1 --password-stdin"; }

account dora
account doraxshop
quietly panel mysql databases create shop -a dora
quietly panel mysql databases create other -a dora
user dora app
quietly panel mysql grant dora_shop dora_app
quietly panel mysql databases create other -a doraxshop
is 'a granted database is used' yes "$(may dora_app 'CREATE TABLE dora_shop.t (a int) ENGINE=InnoDB; INSERT INTO dora_shop.t VALUES (1)')"
is 'a database of the same account that was not granted is not' no "$(may dora_app 'CREATE TABLE dora_other.t (a int)')"
mariadb -e 'CREATE DATABASE doraxshop; CREATE TABLE doraxshop.t (a int)'
is 'the _ of a grant stands for itself' no "$(may dora_app 'SELECT * FROM doraxshop.t')"
is 'only what is granted is listed' 'dora_shop information_schema' "$(sql dora_app 'SHOW DATABASES' | sort | xargs)"
is 'PHP reaches it by the socket' 1 "$(put dora db.php <<< "<?php echo (new PDO('mysql:unix_socket=/run/mysqld/mysqld.sock;dbname=dora_shop', 'dora_app', '$MYSQL_PWD'))->query('SELECT a FROM t')->fetchColumn();"; page dora.example db.php)"
is 'a wrong password is refused' no "$(MYSQL_PWD=x may dora_app 'SELECT 1')"

is 'MariaDB listens on loopback alone' 127.0.0.1:3306 "$(ss -Hltn 'sport = 3306' | awk '{print $4}' | xargs)"
refused 'a host from outside needs the setting' panel mysql hosts create 192.0.2.7 -a dora
quietly panel settings update --mysql-public
quietly panel mysql hosts create 192.0.2.7 -a dora
is 'with the setting it listens for all' 1 "$(ss -Hltn 'sport = 3306' | awk '{print $4}' | grep -c '^\(\*\|0.0.0.0\):3306$')"
outside=$(hostname -I | awk '{print $1}')
is 'a host that was not named is refused' 1 "$(sql dora_app 'SELECT 1' -h "$outside" --protocol=tcp | grep -c '1130\|1045')"
quietly panel mysql hosts create "$outside" -a dora
is 'a host that was named is let in' yes "$(may dora_app 'SELECT 1' -h "$outside" --protocol=tcp)"

# The setting has all accounts applied.
jobs_end
is 'nothing differs' '' "$(panel host diff --account dora)"
mariadb -e "GRANT SELECT ON \`dora\\_other\`.* TO 'dora_app'@'localhost'; ALTER USER 'dora_app'@'localhost' IDENTIFIED BY 'x'"
is 'drift is shown, without hashes' '2 0' "$(panel host diff --account dora > /tmp/drift; grep -c 'REVOKE SELECT\|ALTER USER' /tmp/drift) $(grep -c '\*[0-9A-F]\{40\}' /tmp/drift)"
quietly panel host apply --account dora
is 'and mended' 'yes no' "$(may dora_app 'SELECT * FROM dora_shop.t') $(may dora_app 'SELECT * FROM dora_other.t')"

session() { # session USER: it has one open
  sql "$1" 'SELECT SLEEP(60)' > /tmp/session &
  session=$!
  eventually bash -c "mariadb -e 'SHOW PROCESSLIST' | grep -q $1"
}
ended() { wait $session; grep -c 'ERROR 20\(13\|26\)' /tmp/session; }
session dora_app
quietly panel accounts suspend dora --reason unpaid
is 'suspended: no log-in' 1 "$(sql dora_app 'SELECT 1' | grep -c 'ERROR 4151')"
is 'suspended: its session has ended' 1 "$(ended)"
quietly panel accounts unsuspend dora
is 'unsuspended: it opens again' yes "$(may dora_app 'SELECT * FROM dora_shop.t')"

session dora_app
quietly panel mysql grant dora_shop dora_app --privileges SELECT
is 'a privilege that is taken back ends sessions' '1 no' "$(ended) $(may dora_app 'INSERT INTO dora_shop.t VALUES (3)')"
session dora_app
quietly bash -c "printf another-canary-77 | panel mysql users set-password dora_app --password-stdin"
is 'another password ends sessions' '1 no yes' "$(ended) $(may dora_app 'SELECT 1') $(MYSQL_PWD=another-canary-77 may dora_app 'SELECT * FROM dora_shop.t')"
user dora gone
session dora_gone
quietly panel mysql users delete dora_gone --yes
is 'a user that is deleted has no session and no log-in' '1 no' "$(ended) $(may dora_gone 'SELECT 1')"
is 'sizes of databases are measured' yes "$(quietly panel accounts usage dora; eventually bash -c "panel mysql databases show dora_shop -o json | grep '\"used_bytes\": *[1-9]'" && echo yes)"

quietly panel mysql databases delete dora_other --confirm dora_other --yes
job mysql.database.delete
is 'a deleted database is gone' '' "$(mariadb -BNe "SHOW DATABASES LIKE 'dora\\_other'")"
mariadb -e 'CREATE DATABASE dora_foreign'
quietly panel accounts terminate dora --yes --confirm dora
job account.terminate
is 'terminated: no user and no database of its own' 'dora_foreign' "$(mariadb -BNe "SHOW DATABASES LIKE 'dora\\_%'; SELECT User FROM mysql.global_priv WHERE User LIKE 'dora\\_%'; SELECT DISTINCT User FROM mysql.db WHERE Db LIKE 'dora%'" | xargs)"
is 'terminated: its neighbour is untouched' doraxshop "$(mariadb -BNe "SHOW DATABASES LIKE 'doraxshop'")"
