#if Replication
  import Kith

  /// The log in PostgreSQL: its tables and functions as versioned text, and what `kith replica init` runs.
  ///
  /// Hosts call functions, which have the rights of the schema's owner, and touch no table.
  package enum PostgresSchema {
    /// The version of the tables and functions; `kith.settings` has it, too.
    static let version = 2
    /// What `kith.settings` has instead until the first graph is in the log.
    static let unfinishedVersion = -version
    /// The oldest server: `server_version_num`.
    static let oldestServer = 150_000
    /// The positions of one partition: old records leave the log by whole partitions.
    package static let partitionSize = 1 << 20

    /// How long a record stays at least, so that a host that was away goes on where it was.
    package static let retention = Duration.seconds(86_400)

    /// The errors that the functions raise, as SQLSTATE.
    enum State {
      static let quorumMissing = "KI001"
      static let clockSkew = "KI002"
      static let endsBefore = "KI004"
      static let trimmed = "KI005"
    }

    /// What creates a log, all or nothing.
    /// - Parameters:
    ///   - role: an existing role that may use the log beside its owner.
    ///   - isUnfinished: whether replicas may not open it before `PostgresLog.finish`.
    static func script(
      id: LogID, requiresQuorum: Bool, partitionSize: Int, retention: Duration, role: String?, isUnfinished: Bool
    ) -> String {
      let identity = LogIdentity(id: id)
      let settings =
        "INSERT INTO kith.settings (id, schema, format, rules, requires_quorum, partition_size, retention) VALUES "
        + "('\(id)', \(isUnfinished ? unfinishedVersion : version), \(identity.format), \(identity.rules), "
        + "\(requiresQuorum), \(partitionSize), "
        + "\(Int64(retention / .milliseconds(1))));\n"
      return "BEGIN;\n" + removal + tables + settings + helpers + recordFunctions + sharedFunctions + snapshotFunctions
        + maintenance + "SELECT kith.extend(1);\n" + rights(of: role) + "COMMIT;\n"
    }

    /// Removes what an interrupted `replica init` has left.
    private static let removal = """
      DO $$ BEGIN
        IF to_regclass('kith.settings') IS NOT NULL THEN
          IF EXISTS (SELECT FROM kith.settings WHERE schema = \(unfinishedVersion)) THEN
            DROP SCHEMA kith CASCADE;
          END IF;
        END IF;
      END $$;

      """

    private static func rights(of role: String?) -> String {
      let revoking = "REVOKE ALL ON ALL FUNCTIONS IN SCHEMA kith FROM PUBLIC;\n"
      guard let role else { return revoking }
      let name = "\"" + role.replacing("\"", with: "\"\"") + "\""
      return revoking + "GRANT USAGE ON SCHEMA kith TO \(name);\n"
        + "GRANT EXECUTE ON ALL FUNCTIONS IN SCHEMA kith TO \(name);\n"
    }

    /// Records are only inserted. Payloads are not compressed: requests are packed, and a server has better to do.
    private static let tables = """
      CREATE SCHEMA kith;
      CREATE TABLE kith.settings (
        one boolean PRIMARY KEY DEFAULT true CHECK (one), id uuid NOT NULL, schema int NOT NULL, format int NOT NULL,
        rules int NOT NULL, requires_quorum boolean NOT NULL, partition_size bigint NOT NULL,
        retention bigint NOT NULL, trimmed bigint NOT NULL DEFAULT 0);
      CREATE TABLE kith.record (
        position bigint PRIMARY KEY, at bigint NOT NULL, session uuid NOT NULL, serial bigint NOT NULL,
        chain bytea NOT NULL, payload bytea NOT NULL) PARTITION BY RANGE (position);
      ALTER TABLE kith.record ALTER payload SET STORAGE EXTERNAL;
      CREATE TABLE kith.replica (
        name text PRIMARY KEY, session uuid NOT NULL, applied bigint NOT NULL, outcome bigint NOT NULL,
        rules int NOT NULL, seen bigint NOT NULL);
      CREATE TABLE kith.snapshot (
        position bigint, place text, sequence bigint NOT NULL, chain bytea NOT NULL, outcome bigint NOT NULL,
        digest bigint NOT NULL, bytes bigint NOT NULL, writer text NOT NULL, verifiers text[] NOT NULL,
        PRIMARY KEY (position, place));
      CREATE TABLE kith.digest (
        position bigint, kind int, value bigint NOT NULL, replica text NOT NULL, PRIMARY KEY (position, kind));
      CREATE TABLE kith.dissent (
        replica text, session uuid, position bigint NOT NULL, kind int NOT NULL, value bigint NOT NULL,
        at bigint NOT NULL, PRIMARY KEY (replica, session));
      CREATE TABLE kith.part (
        place text, number int, at bigint NOT NULL, bytes bytea NOT NULL, PRIMARY KEY (place, number));
      ALTER TABLE kith.part ALTER bytes SET STORAGE EXTERNAL;
      CREATE TABLE kith.skip (position bigint PRIMARY KEY);

      """

    /// The server's clock is a function of its own, so that a test can replace it.
    private static let helpers = """
      CREATE FUNCTION kith.clock() RETURNS bigint LANGUAGE sql VOLATILE SET search_path = pg_catalog AS
        $$ SELECT (extract(epoch FROM clock_timestamp()) * 1000)::bigint $$;

      CREATE FUNCTION kith.check_quorum() RETURNS void LANGUAGE plpgsql SECURITY DEFINER
        SET search_path = pg_catalog AS $$
      BEGIN
        IF (SELECT requires_quorum FROM kith.settings) AND (current_setting('synchronous_standby_names') = ''
          OR current_setting('synchronous_commit') NOT IN ('on', 'remote_apply')) THEN
          RAISE EXCEPTION 'the log has no synchronous standby' USING ERRCODE = 'KI001';
        END IF;
      END $$;

      -- A commit with a message in the write-ahead log: once it returns, what was visible before is on a quorum.
      CREATE FUNCTION kith.confirm() RETURNS void LANGUAGE plpgsql SECURITY DEFINER SET search_path = pg_catalog AS $$
      BEGIN
        PERFORM kith.check_quorum();
        PERFORM pg_logical_emit_message(true, 'kith', '');
      END $$;

      CREATE FUNCTION kith.newest() RETURNS bigint LANGUAGE sql STABLE SECURITY DEFINER SET search_path = pg_catalog AS
        $$ SELECT coalesce((SELECT position FROM kith.record ORDER BY position DESC LIMIT 1), 0) $$;

      CREATE FUNCTION kith.confirmed() RETURNS bigint LANGUAGE plpgsql SECURITY DEFINER
        SET search_path = pg_catalog AS $$
      DECLARE newest bigint := kith.newest();
      BEGIN
        PERFORM kith.confirm();
        RETURN newest;
      END $$;

      -- Sees to it that the partition of a position and the one after it exist.
      CREATE FUNCTION kith.extend(p_position bigint) RETURNS void LANGUAGE plpgsql SECURITY DEFINER
        SET search_path = pg_catalog AS $$
      DECLARE
        size bigint := (SELECT partition_size FROM kith.settings);
        place bigint := p_position / size;
      BEGIN
        FOR k IN place .. place + 1 LOOP
          IF to_regclass(format('kith.record_%s', k)) IS NULL THEN
            EXECUTE format('CREATE TABLE kith.record_%s (LIKE kith.record INCLUDING ALL)', k);
            EXECUTE format('ALTER TABLE kith.record ATTACH PARTITION kith.record_%s FOR VALUES FROM (%s) TO (%s)',
              k, k * size, (k + 1) * size);
          END IF;
        END LOOP;
      END $$;

      """
  }
#endif
