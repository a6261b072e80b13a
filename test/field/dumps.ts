/** Dumps as programs of the field make them: one small shop, in the words of each. */
const wordPress = (engine: string, collation: string) => `CREATE TABLE \`wp_options\` (
  \`option_id\` bigint unsigned NOT NULL AUTO_INCREMENT,
  \`option_name\` varchar(191) COLLATE ${collation} NOT NULL DEFAULT '',
  \`option_value\` longtext COLLATE ${collation} NOT NULL,
  PRIMARY KEY (\`option_id\`),
  UNIQUE KEY \`option_name\` (\`option_name\`)
) ENGINE=${engine} AUTO_INCREMENT=4 DEFAULT CHARSET=utf8mb4 COLLATE=${collation};`

const rows = String.raw`(1,'siteurl','https://shop.example'),(2,'blogname','Kaffee; Tee -- \'und\' mehr /* so */'),(3,'cron','a:1:{s:4:\"hook\";s:9:\"wp_update\";}')`

export const mysqldump57 = `mysqldump: [Warning] Using a password on the command line interface can be insecure.
-- MySQL dump 10.13  Distrib 5.7.44, for Linux (x86_64)
--
-- Host: localhost    Database: old_shop
-- ------------------------------------------------------
-- Server version	5.7.44-log

/*!40101 SET @OLD_CHARACTER_SET_CLIENT=@@CHARACTER_SET_CLIENT */;
/*!40101 SET @OLD_CHARACTER_SET_RESULTS=@@CHARACTER_SET_RESULTS */;
/*!40101 SET @OLD_COLLATION_CONNECTION=@@COLLATION_CONNECTION */;
/*!40101 SET NAMES utf8 */;
/*!40103 SET @OLD_TIME_ZONE=@@TIME_ZONE */;
/*!40103 SET TIME_ZONE='+00:00' */;
/*!40014 SET @OLD_UNIQUE_CHECKS=@@UNIQUE_CHECKS, UNIQUE_CHECKS=0 */;
/*!40014 SET @OLD_FOREIGN_KEY_CHECKS=@@FOREIGN_KEY_CHECKS, FOREIGN_KEY_CHECKS=0 */;
/*!40101 SET @OLD_SQL_MODE=@@SQL_MODE, SQL_MODE='NO_AUTO_VALUE_ON_ZERO' */;
/*!40111 SET @OLD_SQL_NOTES=@@SQL_NOTES, SQL_NOTES=0 */;

--
-- Table structure for table \`wp_options\`
--

DROP TABLE IF EXISTS \`wp_options\`;
/*!40101 SET @saved_cs_client     = @@character_set_client */;
/*!40101 SET character_set_client = utf8 */;
${wordPress('MyISAM', 'utf8mb4_unicode_520_ci')}
/*!40101 SET character_set_client = @saved_cs_client */;

LOCK TABLES \`wp_options\` WRITE;
/*!40000 ALTER TABLE \`wp_options\` DISABLE KEYS */;
INSERT INTO \`wp_options\` VALUES ${rows};
/*!40000 ALTER TABLE \`wp_options\` ENABLE KEYS */;
UNLOCK TABLES;
/*!40103 SET TIME_ZONE=@OLD_TIME_ZONE */;
/*!40101 SET SQL_MODE=@OLD_SQL_MODE */;
/*!40014 SET FOREIGN_KEY_CHECKS=@OLD_FOREIGN_KEY_CHECKS */;
/*!40014 SET UNIQUE_CHECKS=@OLD_UNIQUE_CHECKS */;
/*!40101 SET CHARACTER_SET_CLIENT=@OLD_CHARACTER_SET_CLIENT */;
/*!40101 SET CHARACTER_SET_RESULTS=@OLD_CHARACTER_SET_RESULTS */;
/*!40101 SET COLLATION_CONNECTION=@OLD_COLLATION_CONNECTION */;
/*!40111 SET SQL_NOTES=@OLD_SQL_NOTES */;

-- Dump completed on 2024-03-01  3:00:01
`

export const mysqldump80 = `-- MySQL dump 10.13  Distrib 8.0.36, for Linux (x86_64)
--
-- Host: db.example    Database: old_shop
-- ------------------------------------------------------
-- Server version	8.0.36

/*!40101 SET @OLD_CHARACTER_SET_CLIENT=@@CHARACTER_SET_CLIENT */;
/*!50503 SET NAMES utf8mb4 */;
/*!40101 SET @OLD_SQL_MODE=@@SQL_MODE, SQL_MODE='NO_AUTO_VALUE_ON_ZERO' */;
SET @MYSQLDUMP_TEMP_LOG_BIN = @@SESSION.SQL_LOG_BIN;
SET @@SESSION.SQL_LOG_BIN= 0;
SET @@GLOBAL.GTID_PURGED=/*!80000 '+'*/ '3e11fa47-71ca-11e1-9e33-c80aa9429562:1-5';

--
-- Current Database: \`old_shop\`
--

CREATE DATABASE /*!32312 IF NOT EXISTS*/ \`old_shop\` /*!40100 DEFAULT CHARACTER SET utf8mb4 COLLATE utf8mb4_0900_ai_ci */ /*!80016 DEFAULT ENCRYPTION='N' */;

USE \`old_shop\`;
DROP TABLE IF EXISTS \`wp_options\`;
/*!50503 SET character_set_client = utf8mb4 */;
${wordPress('InnoDB', 'utf8mb4_0900_ai_ci')}
LOCK TABLES \`wp_options\` WRITE;
/*!40000 ALTER TABLE \`wp_options\` DISABLE KEYS */;
INSERT INTO \`wp_options\` VALUES ${rows};
/*!40000 ALTER TABLE \`wp_options\` ENABLE KEYS */;
UNLOCK TABLES;
/*!50003 SET @saved_sql_mode       = @@sql_mode */ ;
/*!50003 SET sql_mode              = 'ONLY_FULL_GROUP_BY,STRICT_TRANS_TABLES,NO_ENGINE_SUBSTITUTION' */ ;
DELIMITER ;;
/*!50003 CREATE*/ /*!50017 DEFINER=\`root\`@\`10.0.0.%\`*/ /*!50003 TRIGGER \`trim_name\` BEFORE INSERT ON \`wp_options\` FOR EACH ROW BEGIN
  SET NEW.option_name = TRIM(NEW.option_name); -- a comment; with a delimiter
END */;;
DELIMITER ;
/*!50003 SET sql_mode              = @saved_sql_mode */ ;
/*!50106 SET @save_time_zone= @@TIME_ZONE */ ;
/*!50106 DROP EVENT IF EXISTS \`tidy\` */;
DELIMITER ;;
/*!50106 SET time_zone             = 'SYSTEM' */ ;;
/*!50106 CREATE*/ /*!50117 DEFINER=\`root\`@\`localhost\`*/ /*!50106 EVENT \`tidy\` ON SCHEDULE EVERY 1 DAY STARTS '2024-01-01 00:00:00' ON COMPLETION NOT PRESERVE ENABLE DO DELETE FROM wp_options WHERE option_name = '' */ ;;
DELIMITER ;
/*!50106 SET TIME_ZONE= @save_time_zone */ ;
/*!50003 DROP PROCEDURE IF EXISTS \`count_them\` */;
ALTER DATABASE \`old_shop\` CHARACTER SET utf8mb4 COLLATE utf8mb4_0900_ai_ci ;
DELIMITER ;;
CREATE DEFINER=\`root\`@\`localhost\` PROCEDURE \`count_them\`(OUT n int)
BEGIN
  SELECT COUNT(*) INTO n FROM wp_options WHERE option_value <> ';;x' AND 1=1;
END ;;
DELIMITER ;

--
-- Current Database: \`old_shop\`
--

USE \`old_shop\`;
/*!50001 DROP VIEW IF EXISTS \`names\`*/;
/*!50001 SET @saved_cs_client          = @@character_set_client */;
/*!50001 CREATE ALGORITHM=UNDEFINED */
/*!50013 DEFINER=\`admin\`@\`%\` SQL SECURITY DEFINER */
/*!50001 VIEW \`names\` AS select \`old_shop\`.\`wp_options\`.\`option_name\` AS \`option_name\` from \`old_shop\`.\`wp_options\` */;
SET @@SESSION.SQL_LOG_BIN = @MYSQLDUMP_TEMP_LOG_BIN;
/*!40101 SET SQL_MODE=@OLD_SQL_MODE */;
/*!40101 SET CHARACTER_SET_CLIENT=@OLD_CHARACTER_SET_CLIENT */;

-- Dump completed on 2024-03-01  3:00:01
`

export const mariaDbDump = `/*M!999999\\- enable the sandbox mode */ 
-- MariaDB dump 10.19-11.4.2-MariaDB, for debian-linux-gnu (x86_64)
--
-- Host: localhost    Database: old_shop
-- ------------------------------------------------------
-- Server version	11.4.2-MariaDB-ubu2404

/*!40101 SET @OLD_CHARACTER_SET_CLIENT=@@CHARACTER_SET_CLIENT */;
/*!40101 SET NAMES utf8mb4 */;
/*M!100616 SET @OLD_NOTE_VERBOSITY=@@NOTE_VERBOSITY, NOTE_VERBOSITY=0 */;
DROP TABLE IF EXISTS \`wp_options\`;
${wordPress('Aria', 'utf8mb4_unicode_ci')}
INSERT INTO \`wp_options\` VALUES
${rows.replaceAll('),(', '),\n(')};
/*!40101 SET CHARACTER_SET_CLIENT=@OLD_CHARACTER_SET_CLIENT */;
-- Dump completed on 2024-03-01  3:00:01
`.replace('/*M!100616 SET @OLD_NOTE_VERBOSITY=@@NOTE_VERBOSITY, NOTE_VERBOSITY=0 */;\n', '')

export const phpMyAdmin = `-- phpMyAdmin SQL Dump
-- version 5.2.1
-- https://www.phpmyadmin.net/
--
-- Host: localhost:3306
-- Server version: 10.6.16-MariaDB-cll-lve

SET SQL_MODE = "NO_AUTO_VALUE_ON_ZERO";
START TRANSACTION;
SET time_zone = "+00:00";

/*!40101 SET @OLD_CHARACTER_SET_CLIENT=@@CHARACTER_SET_CLIENT */;
/*!40101 SET NAMES utf8mb4 */;

--
-- Database: \`old_shop\`
--
CREATE DATABASE IF NOT EXISTS \`old_shop\` DEFAULT CHARACTER SET utf8mb4 COLLATE utf8mb4_unicode_ci;
USE \`old_shop\`;

DELIMITER $$
--
-- Functions
--
CREATE DEFINER=\`cpuser\`@\`localhost\` FUNCTION \`twice\` (\`n\` INT) RETURNS INT(11) DETERMINISTIC BEGIN
  RETURN n * 2;
END$$

DELIMITER ;

CREATE TABLE \`wp_options\` (
  \`option_id\` bigint(20) UNSIGNED NOT NULL,
  \`option_name\` varchar(191) NOT NULL DEFAULT '',
  \`option_value\` longtext NOT NULL
) ENGINE=InnoDB DEFAULT CHARSET=utf8mb4 COLLATE=utf8mb4_unicode_ci;

INSERT INTO \`wp_options\` (\`option_id\`, \`option_name\`, \`option_value\`) VALUES
${rows.replaceAll('),(', '),\n(')};

ALTER TABLE \`wp_options\`
  ADD PRIMARY KEY (\`option_id\`),
  ADD UNIQUE KEY \`option_name\` (\`option_name\`);

ALTER TABLE \`wp_options\`
  MODIFY \`option_id\` bigint(20) UNSIGNED NOT NULL AUTO_INCREMENT, AUTO_INCREMENT=4;
COMMIT;

/*!40101 SET CHARACTER_SET_CLIENT=@OLD_CHARACTER_SET_CLIENT */;
`

export const heidiSql = `-- --------------------------------------------------------
-- Host:                         127.0.0.1
-- Server version:               8.0.30 - MySQL Community Server - GPL
-- HeidiSQL Version:             12.1.0.6537
-- --------------------------------------------------------

/*!40101 SET @OLD_CHARACTER_SET_CLIENT=@@CHARACTER_SET_CLIENT */;
/*!40101 SET NAMES utf8 */;
/*!50503 SET NAMES utf8mb4 */;
/*!40103 SET @OLD_TIME_ZONE=@@TIME_ZONE */;
/*!40014 SET @OLD_FOREIGN_KEY_CHECKS=@@FOREIGN_KEY_CHECKS, FOREIGN_KEY_CHECKS=0 */;

CREATE DATABASE IF NOT EXISTS \`old_shop\` /*!40100 DEFAULT CHARACTER SET utf8mb4 COLLATE utf8mb4_0900_ai_ci */ /*!80016 DEFAULT ENCRYPTION='N' */;
USE \`old_shop\`;

CREATE TABLE IF NOT EXISTS \`wp_options\` (
  \`option_id\` bigint unsigned NOT NULL AUTO_INCREMENT,
  \`option_name\` varchar(191) CHARACTER SET utf8mb4 COLLATE utf8mb4_0900_ai_ci NOT NULL DEFAULT '',
  \`option_value\` longtext NOT NULL,
  PRIMARY KEY (\`option_id\`)
) ENGINE=InnoDB AUTO_INCREMENT=4 DEFAULT CHARSET=utf8mb4 COLLATE=utf8mb4_0900_ai_ci;

DELETE FROM \`wp_options\`;
INSERT INTO \`wp_options\` (\`option_id\`, \`option_name\`, \`option_value\`) VALUES
	${rows.replaceAll('),(', '),\n\t(')};

/*!40103 SET TIME_ZONE=IFNULL(@OLD_TIME_ZONE, 'system') */;
/*!40014 SET FOREIGN_KEY_CHECKS=IFNULL(@OLD_FOREIGN_KEY_CHECKS, 1) */;
/*!40101 SET CHARACTER_SET_CLIENT=@OLD_CHARACTER_SET_CLIENT */;
`

/** Adminer quotes with ' and leaves line breaks in strings as they are. */
export const adminer = `-- Adminer 4.8.1 MySQL 5.5.5-10.5.23-MariaDB dump

SET NAMES utf8;
SET time_zone = '+00:00';
SET foreign_key_checks = 0;
SET sql_mode = 'NO_AUTO_VALUE_ON_ZERO';

SET NAMES utf8mb4;

DROP TABLE IF EXISTS \`wp_options\`;
CREATE TABLE \`wp_options\` (
  \`option_id\` bigint(20) unsigned NOT NULL AUTO_INCREMENT,
  \`option_name\` varchar(191) NOT NULL DEFAULT '',
  \`option_value\` longtext NOT NULL,
  PRIMARY KEY (\`option_id\`)
) ENGINE=InnoDB DEFAULT CHARSET=utf8mb4;

INSERT INTO \`wp_options\` (\`option_id\`, \`option_name\`, \`option_value\`) VALUES
(1,	'siteurl',	'https://shop.example'),
(2,	'blogname',	'one
CREATE DEFINER=\`root\`@\`localhost\` VIEW x;
DELIMITER ;;
-- Dump; two'),
(3,	'cron',	'it''s')
ON DUPLICATE KEY UPDATE \`option_id\` = VALUES(\`option_id\`), \`option_name\` = VALUES(\`option_name\`);

-- 2024-03-01 03:00:00
`

/** By a program of Windows, as mysqldump's output is redirected there. */
export const utf16 = Buffer.concat([Buffer.from([0xff, 0xfe]), Buffer.from(phpMyAdmin, 'utf16le')])

/** Of Joomla on an old server, without a character set. */
export const latin1 = Buffer.from(
  `CREATE TABLE jos_content (id int, title varchar(50)) TYPE=MyISAM;
INSERT INTO jos_content VALUES (1, 'Gr\u00fc\u00dfe');
INSERT INTO jos_content SET id = 2, title = 'caf\u00e9';
`,
  'latin1',
)

export const dumps = { mysqldump57, mysqldump80, mariaDbDump, phpMyAdmin, heidiSql, adminer }
