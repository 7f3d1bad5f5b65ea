package compare

import (
	"database/sql"
	"errors"

	"github.com/cockroachdb/pebble/v2"
	bolt "go.etcd.io/bbolt"
	_ "modernc.org/sqlite" // as "sqlite"
)

// A Record is a key with its value.
type Record struct{ Key, Value []byte }

// A Store is a map on the disk.
type Store interface {
	// Put writes records, all or nothing, and returns when they are on the disk.
	Put(records []Record) error
	// All calls f for each record; it must not keep them.
	All(f func(key, value []byte)) error
	// Get calls f for one record.
	Get(key []byte, f func(value []byte)) error
	Close() error
}

// Stores opens each kind of Store in a directory.
var Stores = []struct {
	Name string
	Open func(dir string) (Store, error)
}{{"bbolt", openBolt}, {"pebble", openPebble}, {"sqlite", openSQLite}}

var errMissing = errors.New("compare: no such record")

type boltStore struct{ *bolt.DB }

var bucket = []byte("b")

func openBolt(dir string) (Store, error) {
	db, err := bolt.Open(dir+"/bolt", 0o666, &bolt.Options{NoFreelistSync: true,
		FreelistType: bolt.FreelistMapType})
	if err != nil {
		return nil, err
	}
	return boltStore{db}, db.Update(func(tx *bolt.Tx) error {
		_, err := tx.CreateBucketIfNotExists(bucket)
		return err
	})
}

func (s boltStore) Put(records []Record) error {
	return s.Update(func(tx *bolt.Tx) error {
		b := tx.Bucket(bucket)
		for _, r := range records {
			if err := b.Put(r.Key, r.Value); err != nil {
				return err
			}
		}
		return nil
	})
}

func (s boltStore) All(f func(key, value []byte)) error {
	return s.View(func(tx *bolt.Tx) error {
		return tx.Bucket(bucket).ForEach(func(k, v []byte) error { f(k, v); return nil })
	})
}

func (s boltStore) Get(key []byte, f func(value []byte)) error {
	return s.View(func(tx *bolt.Tx) error {
		v := tx.Bucket(bucket).Get(key)
		if v == nil {
			return errMissing
		}
		f(v)
		return nil
	})
}

type pebbleStore struct{ *pebble.DB }

func openPebble(dir string) (Store, error) {
	db, err := pebble.Open(dir+"/pebble", &pebble.Options{Logger: silent{}})
	if err != nil {
		return nil, err
	}
	return pebbleStore{db}, nil
}

// silent is a log that nobody reads.
type silent struct{}

func (silent) Infof(string, ...any)  {}
func (silent) Errorf(string, ...any) {}
func (silent) Fatalf(format string, args ...any) {
	panic(format)
}

func (s pebbleStore) Put(records []Record) error {
	b := s.NewBatch()
	for _, r := range records {
		if err := b.Set(r.Key, r.Value, nil); err != nil {
			return errors.Join(err, b.Close())
		}
	}
	return b.Commit(pebble.Sync)
}

func (s pebbleStore) All(f func(key, value []byte)) error {
	it, err := s.NewIter(nil)
	if err != nil {
		return err
	}
	for ok := it.First(); ok; ok = it.Next() {
		f(it.Key(), it.Value())
	}
	return it.Close()
}

func (s pebbleStore) Get(key []byte, f func(value []byte)) error {
	v, closer, err := s.DB.Get(key)
	if err != nil {
		return err
	}
	f(v)
	return closer.Close()
}

type sqliteStore struct {
	*sql.DB
	get *sql.Stmt
}

func openSQLite(dir string) (Store, error) {
	db, err := sql.Open("sqlite",
		"file:"+dir+"/sqlite?_pragma=journal_mode(WAL)&_pragma=synchronous(FULL)")
	if err != nil {
		return nil, err
	}
	db.SetMaxOpenConns(1)
	s := sqliteStore{DB: db}
	_, err = db.Exec("create table if not exists t (k blob primary key, v blob) without rowid")
	if err == nil {
		s.get, err = db.Prepare("select v from t where k = ?")
	}
	if err != nil {
		return nil, errors.Join(err, db.Close())
	}
	return s, nil
}

func (s sqliteStore) Put(records []Record) error {
	tx, err := s.Begin()
	if err != nil {
		return err
	}
	defer tx.Rollback()
	put, err := tx.Prepare("insert or replace into t values (?, ?)")
	if err != nil {
		return err
	}
	for _, r := range records {
		if _, err := put.Exec(r.Key, r.Value); err != nil {
			return err
		}
	}
	return tx.Commit()
}

func (s sqliteStore) All(f func(key, value []byte)) error {
	rows, err := s.Query("select k, v from t")
	if err != nil {
		return err
	}
	defer rows.Close()
	var k, v sql.RawBytes
	for rows.Next() {
		if err := rows.Scan(&k, &v); err != nil {
			return err
		}
		f(k, v)
	}
	return rows.Err()
}

func (s sqliteStore) Get(key []byte, f func(value []byte)) error {
	var v []byte
	if err := s.get.QueryRow(key).Scan(&v); err != nil {
		return err
	}
	f(v)
	return nil
}

func (s sqliteStore) Close() error { return errors.Join(s.get.Close(), s.DB.Close()) }
