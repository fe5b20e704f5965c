#if Replication
  import Kith

  /// The log in PostgreSQL: its tables and functions as versioned text, and what `kith replica init` runs.
  ///
  /// Hosts call functions, which have the rights of the schema's owner, and touch no table.
  package enum PostgresSchema {
    /// The version of the tables and functions; `kith.settings` has it, too.
    static let version = 3
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
      static let unsafeServer = "KI006"
      static let quorumAway = "KI007"
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
      return "BEGIN;\n" + removal + tables + settings + functions + "SELECT kith.extend(1);\n"
        + (requiresQuorum ? "SELECT kith.check_rights();\n" : "") + rights(of: role) + "COMMIT;\n"
    }

    private static var functions: String {
      helpers + recordFunctions + sharedFunctions + snapshotFunctions + maintenance
    }

    /// The oldest version that `migration` knows.
    static let oldestVersion = 2

    /// What brings the tables and functions of an older log to this version, all or nothing. The records stay. What is
    /// dropped is derived: digests of the past. Who could use the log can use it afterwards.
    static let migration = """
      BEGIN;
      SELECT pg_advisory_xact_lock(7235429224);
      DO $$
      DECLARE
        found int := (SELECT schema FROM kith.settings);
        one text;
      BEGIN
        IF found NOT BETWEEN \(oldestVersion) AND \(version - 1) THEN
          RAISE EXCEPTION 'its tables have version %; this release changes those of version \(oldestVersion) on', found;
        END IF;
        FOR one IN SELECT oid::regprocedure::text FROM pg_proc WHERE pronamespace = 'kith'::regnamespace LOOP
          EXECUTE 'DROP FUNCTION ' || one;
        END LOOP;
      END $$;
      DROP TABLE kith.digest;
      ALTER TABLE kith.snapshot ADD at bigint NOT NULL DEFAULT 0;
      ALTER TABLE kith.snapshot ALTER at DROP DEFAULT;
      \(digestTable)
      \(functions)
      UPDATE kith.settings SET schema = \(version);
      REVOKE ALL ON ALL FUNCTIONS IN SCHEMA kith FROM PUBLIC;
      DO $$
      DECLARE
        role text;
      BEGIN
        FOR role IN SELECT quote_ident(pg_get_userbyid(grantee)) FROM pg_namespace, aclexplode(nspacl)
          WHERE nspname = 'kith' AND privilege_type = 'USAGE' AND grantee <> nspowner AND grantee <> 0 LOOP
          EXECUTE 'GRANT EXECUTE ON ALL FUNCTIONS IN SCHEMA kith TO ' || role;
        END LOOP;
        IF (SELECT requires_quorum FROM kith.settings) THEN
          PERFORM kith.check_rights();
        END IF;
      END $$;
      COMMIT;
      """

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

    private static let digestTable = """
      CREATE TABLE kith.digest (
        position bigint, kind int, replica text, session uuid NOT NULL, value bigint NOT NULL, at bigint NOT NULL,
        PRIMARY KEY (position, kind, replica));
      """

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
        at bigint NOT NULL, PRIMARY KEY (position, place));
      \(digestTable)
      CREATE TABLE kith.dissent (
        replica text, session uuid, position bigint NOT NULL, kind int NOT NULL, value bigint NOT NULL,
        at bigint NOT NULL, PRIMARY KEY (replica, session));
      CREATE TABLE kith.part (
        place text, number int, at bigint NOT NULL, bytes bytea NOT NULL, PRIMARY KEY (place, number));
      ALTER TABLE kith.part ALTER bytes SET STORAGE EXTERNAL;
      CREATE TABLE kith.skip (position bigint PRIMARY KEY);

      """

    /// The server's clock is a function of its own, so that a test can replace it.
    private static let helpers = #"""
      CREATE FUNCTION kith.clock() RETURNS bigint LANGUAGE sql VOLATILE SET search_path = pg_catalog AS
        $$ SELECT (extract(epoch FROM clock_timestamp()) * 1000)::bigint $$;

      -- Refuses an owner of the schema who may not see how far the standbys are.
      CREATE FUNCTION kith.check_rights() RETURNS void LANGUAGE plpgsql SECURITY DEFINER SET search_path = pg_catalog
        AS $$
      BEGIN
        IF NOT pg_has_role(current_user, 'pg_read_all_stats', 'USAGE') THEN
          RAISE EXCEPTION 'its owner may not see what standbys have: GRANT pg_read_all_stats TO %',
            quote_ident(current_user) USING ERRCODE = 'KI006';
        END IF;
      END $$;

      -- Refuses a server whose settings cannot keep what is promised, and says whether a quorum is demanded: by the
      -- log, by the host, which has seen one, or by the server's own settings.
      CREATE FUNCTION kith.check_settings(p_demanded boolean) RETURNS boolean LANGUAGE plpgsql SECURITY DEFINER
        SET search_path = pg_catalog AS $$
      DECLARE
        names text := current_setting('synchronous_standby_names');
        setting text;
      BEGIN
        FOREACH setting IN ARRAY ARRAY['fsync', 'full_page_writes'] LOOP
          IF current_setting(setting) <> 'on' THEN
            RAISE EXCEPTION 'the server has % = %, and could lose what it acknowledged: set % = on', setting,
              current_setting(setting), setting USING ERRCODE = 'KI006';
          END IF;
        END LOOP;
        IF names = '' THEN
          IF p_demanded OR (SELECT requires_quorum FROM kith.settings) THEN
            RAISE EXCEPTION 'the log has no synchronous standby' USING ERRCODE = 'KI001';
          END IF;
          RETURN false;
        END IF;
        PERFORM kith.check_rights();
        RETURN true;
      END $$;

      -- How many standbys a commit must be on by synchronous_standby_names; how many of them are connected, and how
      -- many have everything up to a place of the write-ahead log on their disks, as they say themselves.
      CREATE FUNCTION kith.quorum(p_bound pg_lsn, OUT o_needed bigint, OUT o_connected bigint, OUT o_flushed bigint)
        LANGUAGE sql VOLATILE SECURITY DEFINER SET search_path = pg_catalog AS $$
        SELECT coalesce(substring(current_setting('synchronous_standby_names')
            FROM '(?i)^\s*(?:any\s+|first\s+)?(\d+)\s*\(')::bigint, 1),
          count(*) FILTER (WHERE sync_state IN ('sync', 'quorum')),
          count(*) FILTER (WHERE sync_state IN ('sync', 'quorum') AND flush_lsn >= p_bound)
          FROM pg_stat_get_wal_senders() $$;

      -- What begins a transaction that others will rely on: nothing is written while a commit would wait for standbys
      -- that are not there.
      CREATE FUNCTION kith.begin_commit(p_demanded boolean) RETURNS boolean LANGUAGE plpgsql SECURITY DEFINER
        SET search_path = pg_catalog AS $$
      DECLARE
        standbys record;
      BEGIN
        IF NOT kith.check_settings(p_demanded) THEN
          RETURN false;
        END IF;
        PERFORM set_config('synchronous_commit', 'on', true);
        standbys := kith.quorum('0/0');
        IF standbys.o_connected < standbys.o_needed THEN
          RAISE EXCEPTION 'no quorum: of synchronous_standby_names = % only % of % are connected',
            current_setting('synchronous_standby_names'), standbys.o_connected, standbys.o_needed
            USING ERRCODE = 'KI007';
        END IF;
        RETURN true;
      END $$;

      -- Waits until all that was committed here before is on the disks of a quorum. That a commit has returned says
      -- less: PostgreSQL ends its wait with a warning when it is cancelled, and without one when
      -- synchronous_standby_names is emptied.
      CREATE FUNCTION kith.await_quorum() RETURNS void LANGUAGE plpgsql SECURITY DEFINER SET search_path = pg_catalog
        AS $$
      DECLARE
        bound pg_lsn := pg_current_wal_flush_lsn();
        ending timestamptz := clock_timestamp() + interval '3 s';
        standbys record;
      BEGIN
        PERFORM kith.check_settings(true);
        LOOP
          standbys := kith.quorum(bound);
          EXIT WHEN standbys.o_flushed >= standbys.o_needed;
          IF clock_timestamp() > ending THEN
            RAISE EXCEPTION 'no quorum: of synchronous_standby_names = % only % of % have the newest changes',
              current_setting('synchronous_standby_names'), standbys.o_flushed, standbys.o_needed
              USING ERRCODE = 'KI007';
          END IF;
          PERFORM pg_sleep(0.0005);
        END LOOP;
      END $$;

      CREATE FUNCTION kith.newest() RETURNS bigint LANGUAGE sql STABLE SECURITY DEFINER SET search_path = pg_catalog AS
        $$ SELECT coalesce((SELECT position FROM kith.record ORDER BY position DESC LIMIT 1), 0) $$;

      -- The newest position, by a commit with a message in the write-ahead log: a server that was deposed has none.
      CREATE FUNCTION kith.confirmed(p_demanded boolean, OUT o_newest bigint, OUT o_demanded boolean)
        LANGUAGE plpgsql SECURITY DEFINER SET search_path = pg_catalog AS $$
      BEGIN
        o_demanded := kith.begin_commit(p_demanded);
        o_newest := kith.newest();
        PERFORM pg_logical_emit_message(true, 'kith', '');
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

      """#
  }
#endif
