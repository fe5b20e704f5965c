#if Replication
  extension PostgresSchema {
    /// Appending and reading.
    ///
    /// The lock of `append` is held to the end of its commit, so the next position begins after this one can be seen:
    /// positions are dense and ascend with the commits. The caller asks for `kith.await_quorum` after it.
    static let recordFunctions = """
      CREATE FUNCTION kith.append(
        p_session uuid, p_serial bigint, p_base bigint, p_clock bigint, p_payload bytea,
        p_demanded boolean DEFAULT false, OUT o_position bigint, OUT o_chain bytea, OUT o_demanded boolean)
        LANGUAGE plpgsql SECURITY DEFINER SET search_path = pg_catalog AS $$
      DECLARE
        settings kith.settings;
        mine record;
        last record;
        skew bigint := p_clock - kith.clock();
        at bigint;
      BEGIN
        o_demanded := kith.begin_commit(p_demanded);
        IF abs(skew) > 60000 THEN
          RAISE EXCEPTION '%', abs(skew) USING ERRCODE = 'KI002';
        END IF;
        IF current_setting('transaction_isolation') <> 'read committed' THEN
          RAISE EXCEPTION 'appends need read committed isolation';
        END IF;
        PERFORM pg_advisory_xact_lock(7235429224);
        SELECT * INTO STRICT settings FROM kith.settings;
        IF p_base < settings.trimmed THEN
          RAISE EXCEPTION 'the log was trimmed up to %', settings.trimmed USING ERRCODE = 'KI005';
        END IF;
        SELECT position, serial, chain INTO mine FROM kith.record
          WHERE position > p_base AND session = p_session AND serial >= p_serial ORDER BY position LIMIT 1;
        IF FOUND THEN
          IF mine.serial > p_serial THEN
            RAISE EXCEPTION 'append % of its session came after %', p_serial, mine.serial USING ERRCODE = 'KI003';
          END IF;
          o_position := mine.position;
          o_chain := mine.chain;
          RETURN;
        END IF;
        SELECT position, r.at, chain INTO last FROM kith.record r ORDER BY position DESC LIMIT 1;
        o_position := coalesce(last.position, 0) + 1;
        at := greatest(kith.clock(), last.at);
        o_chain := sha256(coalesce(last.chain, sha256(uuid_send(settings.id))) || uuid_send(p_session)
          || int8send(p_serial) || int8send(at) || sha256(p_payload));
        IF o_position % settings.partition_size = settings.partition_size / 2 THEN
          PERFORM kith.extend(o_position);
        END IF;
        INSERT INTO kith.record VALUES (o_position, at, p_session, p_serial, o_chain, p_payload);
        PERFORM pg_notify('kith', '');
      END $$;

      -- Records after a position, at least one if there is any, then what fits the bytes. If the caller knows one of
      -- them from an append of its own, these are the records up to it, which are on a quorum as it is; otherwise the
      -- answer waits until they are, too. A record that was trimmed is not known: the answer shows the gap.
      CREATE FUNCTION kith.read(
        p_after bigint, p_bytes bigint, p_known bigint, p_known_chain bytea, p_demanded boolean DEFAULT false)
        RETURNS TABLE (o_position bigint, o_at bigint, o_session uuid, o_serial bigint, o_chain bytea, o_payload bytea)
        LANGUAGE plpgsql SECURITY DEFINER SET search_path = pg_catalog AS $$
      DECLARE
        known bigint := (SELECT position FROM kith.record
          WHERE position = p_known AND position > p_after AND chain = p_known_chain);
        final bigint;
        newest bigint;
      BEGIN
        SELECT max(s.position) INTO final FROM (
          SELECT position, row_number() OVER w AS place, sum(octet_length(payload)) OVER w AS bytes
            FROM (SELECT position, payload FROM kith.record
              WHERE position > p_after AND (known IS NULL OR position <= known) ORDER BY position LIMIT 4096) r
            WINDOW w AS (ORDER BY position ROWS UNBOUNDED PRECEDING)) s
          WHERE s.place = 1 OR s.bytes <= p_bytes;
        IF final IS NULL THEN
          newest := kith.newest();
          IF newest < p_after THEN
            RAISE EXCEPTION '%', newest USING ERRCODE = 'KI004';
          END IF;
          RETURN;
        END IF;
        RETURN QUERY SELECT position, at, session, serial, chain, payload FROM kith.record
          WHERE position > p_after AND position <= final ORDER BY position;
        IF known IS NULL AND kith.check_settings(p_demanded) THEN
          PERFORM kith.await_quorum();
        END IF;
      END $$;

      """

    /// What replicas report to each other. A report may be lost, so its commit waits for no standby.
    static let sharedFunctions = """
      CREATE FUNCTION kith.identity(OUT o_id uuid, OUT o_schema int, OUT o_format int, OUT o_rules int,
        OUT o_server int)
        LANGUAGE sql STABLE SECURITY DEFINER SET search_path = pg_catalog AS $$
        SELECT id, schema, format, rules, current_setting('server_version_num')::int FROM kith.settings $$;

      CREATE FUNCTION kith.report(p_name text, p_session uuid, p_applied bigint, p_outcome bigint, p_rules int)
        RETURNS bigint LANGUAGE plpgsql SECURITY DEFINER SET search_path = pg_catalog AS $$
      BEGIN
        PERFORM set_config('synchronous_commit', 'off', true);
        INSERT INTO kith.replica VALUES (p_name, p_session, p_applied, p_outcome, p_rules, kith.clock())
          ON CONFLICT (name) DO UPDATE SET session = excluded.session, applied = excluded.applied,
            outcome = excluded.outcome, rules = excluded.rules, seen = excluded.seen;
        -- A replica that differs in two sessions was rebuilt in between, from what the others had verified.
        RETURN (SELECT coalesce(max(newest), 0) FROM (
          SELECT max(position) AS newest FROM kith.dissent WHERE at > kith.clock() - 86400000
            GROUP BY replica HAVING count(*) > 1) contested);
      END $$;

      -- With the time of the oldest record that a replica has not applied.
      CREATE FUNCTION kith.reports() RETURNS TABLE (o_name text, o_session uuid, o_applied bigint, o_outcome bigint,
        o_rules int, o_seen bigint, o_behind bigint) LANGUAGE sql STABLE SECURITY DEFINER
        SET search_path = pg_catalog AS $$
        SELECT name, session, applied, outcome, rules, seen,
          (SELECT at FROM kith.record WHERE position > applied ORDER BY position LIMIT 1)
          FROM kith.replica ORDER BY name COLLATE "C" $$;

      CREATE FUNCTION kith.forget(p_name text) RETURNS void LANGUAGE sql SECURITY DEFINER SET search_path = pg_catalog
        AS $$ DELETE FROM kith.replica WHERE name = p_name; DELETE FROM kith.dissent WHERE replica = p_name $$;

      CREATE FUNCTION kith.vote(p_position bigint, p_kind int, p_value bigint, p_replica text, p_session uuid)
        RETURNS void LANGUAGE sql SECURITY DEFINER SET search_path = pg_catalog AS $$
        INSERT INTO kith.digest VALUES (p_position, p_kind, p_replica, p_session, p_value, kith.clock())
          ON CONFLICT (position, kind, replica) DO UPDATE SET session = excluded.session, value = excluded.value,
            at = excluded.at $$;

      -- The votes where replicas differ, of the newest few positions.
      CREATE FUNCTION kith.votes() RETURNS SETOF kith.digest LANGUAGE sql STABLE SECURITY DEFINER
        SET search_path = pg_catalog AS $$
        SELECT * FROM kith.digest WHERE (position, kind) IN (SELECT position, kind FROM kith.digest
          GROUP BY position, kind HAVING count(DISTINCT value) > 1 ORDER BY position DESC LIMIT 16)
          ORDER BY position, kind, at, replica COLLATE "C" $$;

      CREATE FUNCTION kith.dissent(p_position bigint, p_kind int, p_value bigint, p_replica text, p_session uuid)
        RETURNS void LANGUAGE sql SECURITY DEFINER SET search_path = pg_catalog AS $$
        INSERT INTO kith.dissent VALUES (p_replica, p_session, p_position, p_kind, p_value, kith.clock())
          ON CONFLICT DO NOTHING $$;

      -- The replicas that have stopped because they differed, within a day.
      CREATE FUNCTION kith.dissents() RETURNS TABLE (o_replica text, o_position bigint, o_at bigint)
        LANGUAGE sql STABLE SECURITY DEFINER SET search_path = pg_catalog AS $$
        SELECT replica, position, at FROM kith.dissent WHERE at > kith.clock() - 86400000
          ORDER BY replica COLLATE "C", at $$;

      """

    /// Snapshots: what is known of them, and the parts of those that the log itself holds.
    static let snapshotFunctions = """
      CREATE FUNCTION kith.record_snapshot(p_position bigint, p_place text, p_sequence bigint, p_chain bytea,
        p_outcome bigint, p_digest bigint, p_bytes bigint, p_writer text, p_verifiers text[])
        RETURNS void LANGUAGE sql SECURITY DEFINER SET search_path = pg_catalog AS $$
        INSERT INTO kith.snapshot VALUES (
          p_position, p_place, p_sequence, p_chain, p_outcome, p_digest, p_bytes, p_writer, p_verifiers, kith.clock())
          ON CONFLICT (position, place) DO UPDATE SET sequence = excluded.sequence, chain = excluded.chain,
            outcome = excluded.outcome, digest = excluded.digest, bytes = excluded.bytes, writer = excluded.writer,
            verifiers = ARRAY(SELECT DISTINCT name COLLATE "C" AS name
              FROM unnest(snapshot.verifiers || excluded.verifiers) name ORDER BY 1) $$;

      CREATE FUNCTION kith.snapshots() RETURNS SETOF kith.snapshot LANGUAGE sql STABLE SECURITY DEFINER
        SET search_path = pg_catalog AS $$ SELECT * FROM kith.snapshot ORDER BY position DESC, place COLLATE "C" $$;

      CREATE FUNCTION kith.store_part(p_place text, p_number int, p_bytes bytea) RETURNS void LANGUAGE plpgsql
        SECURITY DEFINER SET search_path = pg_catalog AS $$
      BEGIN
        IF p_number = 0 THEN
          DELETE FROM kith.part WHERE place = p_place OR at < kith.clock() - 86400000
            AND place NOT IN (SELECT place FROM kith.snapshot);
        END IF;
        INSERT INTO kith.part VALUES (p_place, p_number, kith.clock(), p_bytes)
          ON CONFLICT (place, number) DO UPDATE SET at = excluded.at, bytes = excluded.bytes;
      END $$;

      CREATE FUNCTION kith.part(p_place text, p_number int) RETURNS bytea LANGUAGE sql STABLE SECURITY DEFINER
        SET search_path = pg_catalog AS $$ SELECT bytes FROM kith.part WHERE place = p_place AND number = p_number $$;

      CREATE FUNCTION kith.remove_snapshot(p_place text) RETURNS void LANGUAGE sql SECURITY DEFINER
        SET search_path = pg_catalog AS $$
        DELETE FROM kith.snapshot WHERE place = p_place AND position > 0;
        DELETE FROM kith.part WHERE place = p_place $$;

      -- Not what a replica has applied: it was acknowledged, and the others would differ from then on.
      CREATE FUNCTION kith.pass_over(p_position bigint) RETURNS void LANGUAGE plpgsql SECURITY DEFINER
        SET search_path = pg_catalog AS $$
      DECLARE
        ahead kith.replica;
      BEGIN
        SELECT * INTO ahead FROM kith.replica WHERE applied >= p_position ORDER BY applied DESC LIMIT 1;
        IF FOUND THEN
          RAISE EXCEPTION 'replica % has applied record %, so it cannot be passed over', ahead.name, p_position;
        END IF;
        IF NOT EXISTS (SELECT FROM kith.record WHERE position = p_position) THEN
          RAISE EXCEPTION 'the log has no record %', p_position;
        END IF;
        INSERT INTO kith.skip VALUES (p_position) ON CONFLICT DO NOTHING;
      END $$;

      CREATE FUNCTION kith.passed_over() RETURNS SETOF bigint LANGUAGE sql STABLE SECURITY DEFINER
        SET search_path = pg_catalog AS $$ SELECT position FROM kith.skip ORDER BY position $$;

      """

    /// Drops whole partitions whose records are all older than the retention, and waits a short time for who reads
    /// them. The newest record always remains: it is the counter.
    static let maintenance = """
      CREATE FUNCTION kith.trim(p_position bigint) RETURNS bigint LANGUAGE plpgsql SECURITY DEFINER
        SET search_path = pg_catalog SET lock_timeout = '500ms' AS $$
      DECLARE
        settings kith.settings;
        place bigint;
        bound bigint := least(p_position, kith.newest() - 1);
      BEGIN
        IF NOT pg_try_advisory_xact_lock(7235429225) THEN
          RETURN 0;
        END IF;
        SELECT * INTO STRICT settings FROM kith.settings;
        place := (settings.trimmed + 1) / settings.partition_size;
        WHILE (place + 1) * settings.partition_size - 1 <= bound LOOP
          EXIT WHEN (SELECT at FROM kith.record WHERE position = (place + 1) * settings.partition_size - 1)
            > kith.clock() - settings.retention;
          EXECUTE format('DROP TABLE IF EXISTS kith.record_%s', place);
          place := place + 1;
          UPDATE kith.settings SET trimmed = place * partition_size - 1;
          DELETE FROM kith.digest WHERE position < place * settings.partition_size;
        END LOOP;
        RETURN (SELECT trimmed FROM kith.settings);
      END $$;

      -- What the log says of itself. Writes nothing and waits for nobody, so it answers without a quorum, too.
      CREATE FUNCTION kith.health(OUT o_clock bigint, OUT o_newest bigint, OUT o_newest_at bigint, OUT o_first bigint,
        OUT o_retention bigint, OUT o_due bigint, OUT o_names text, OUT o_is_demanded boolean, OUT o_needed bigint,
        OUT o_connected bigint, OUT o_written bigint, OUT o_flushed bigint, OUT o_problem text)
        LANGUAGE plpgsql SECURITY DEFINER SET search_path = pg_catalog AS $$
      DECLARE
        settings kith.settings;
        standbys record;
      BEGIN
        SELECT * INTO STRICT settings FROM kith.settings;
        o_clock := kith.clock();
        SELECT position, at INTO o_newest, o_newest_at FROM kith.record ORDER BY position DESC LIMIT 1;
        o_first := (SELECT position FROM kith.record ORDER BY position LIMIT 1);
        o_retention := settings.retention;
        -- Since when the oldest partition is old enough to be dropped.
        SELECT at + settings.retention INTO o_due FROM kith.record WHERE position =
          ((settings.trimmed + 1) / settings.partition_size + 1) * settings.partition_size - 1 AND position < o_newest;
        o_names := current_setting('synchronous_standby_names');
        o_is_demanded := settings.requires_quorum OR o_names <> '';
        standbys := kith.quorum('0/0');
        o_needed := standbys.o_needed;
        o_connected := standbys.o_connected;
        o_written := pg_current_wal_flush_lsn() - '0/0'::pg_lsn;
        -- What as many standbys have as a commit must be on.
        o_flushed := (SELECT flush_lsn - '0/0'::pg_lsn FROM pg_stat_get_wal_senders()
          WHERE sync_state IN ('sync', 'quorum') AND flush_lsn IS NOT NULL ORDER BY flush_lsn DESC
          OFFSET greatest(standbys.o_needed, 1) - 1 LIMIT 1);
        BEGIN
          PERFORM kith.check_settings(false);
        EXCEPTION WHEN SQLSTATE 'KI001' THEN
          NULL;
        WHEN OTHERS THEN
          o_problem := SQLERRM;
        END;
      END $$;

      """
  }
#endif
