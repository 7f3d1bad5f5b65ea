package proc

import (
	"errors"
	"fmt"
	"io"
	"os"
	"path/filepath"
	"strings"
	"syscall"
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	_ "github.com/heddle-go/heddle/internal/dev/short"
	"github.com/heddle-go/heddle/stress/watch"
)

const soon = time.Minute // what is waited for comes at once, or the test has found something

func TestMain(m *testing.M) {
	Main(map[string]Role{"echo": echo, "writer": writer, "parent": parent, "failing": func(
		*Child) error {
		return errors.New("of no use")
	}})
	watch.Main(m)
}

// echo says what it hears.
func echo(c *Child) error {
	c.Say("ready " + c.Name + " " + strings.Join(c.Args, ","))
	for {
		line, err := c.Hear()
		if errors.Is(err, io.EOF) {
			return nil
		}
		if err != nil {
			return err
		}
		c.Say("heard " + line)
	}
}

// writer writes files until it cannot.
func writer(c *Child) error {
	write := func() error {
		f, err := os.Create(filepath.Join(c.Args[0], "file"))
		if err != nil {
			return err
		}
		for i := 0; err == nil && i < 1<<10; i++ {
			_, err = f.Write(make([]byte, 4<<10))
		}
		at, _ := f.Seek(0, io.SeekCurrent)
		c.Say(fmt.Sprint("wrote ", at, " ", errors.Is(err, syscall.EFBIG),
			errors.Is(err, syscall.ENOSPC)))
		return f.Close()
	}
	if err := write(); err != nil {
		return err
	}
	line, err := c.Hear()
	if line == "grow" {
		if err = c.GrowDisk(8 << 20); err == nil {
			err = write()
		}
	}
	if errors.Is(err, io.EOF) {
		return nil
	}
	return err
}

// parent has a child of its own, and waits to be killed.
func parent(c *Child) error {
	n := New(c.Args[0])
	p, err := n.Start(Start{Role: "echo", Name: "grandchild"})
	if err != nil {
		return err
	}
	if err := p.Stop(); err != nil {
		return err
	}
	c.Say(fmt.Sprint("child ", p.ID()))
	select {}
}

func nursery(t *testing.T) *Nursery {
	n := New(t.TempDir())
	t.Cleanup(func() {
		n.Close()
		left, err := Children()
		require.NoError(t, err)
		require.Empty(t, left)
	})
	return n
}

func TestTalk(t *testing.T) {
	n := nursery(t)
	p, err := n.Start(Start{Role: "echo", Name: "one", Args: []string{"a", "b"}})
	require.NoError(t, err)
	rest, err := p.Hear("ready ", soon)
	require.NoError(t, err)
	require.Equal(t, "one a,b", rest)
	require.NoError(t, p.Tell("hello"))
	rest, err = p.Hear("heard ", soon)
	require.NoError(t, err)
	require.Equal(t, "hello", rest)
	now, most, err := p.Memory()
	require.NoError(t, err)
	require.Positive(t, now)
	require.GreaterOrEqual(t, most, now)
	ids, err := Children()
	require.NoError(t, err)
	require.Equal(t, []int{p.ID()}, ids)
	require.NoError(t, p.End(soon))
	_, err = p.Hear("", soon)
	require.ErrorIs(t, err, ErrSilent)
	require.Error(t, p.Tell("hello"))
	_, _, err = p.Memory()
	require.ErrorIs(t, err, os.ErrNotExist)
}

// TestStop: who is stopped does nothing until it goes on, and nothing is lost.
func TestStop(t *testing.T) {
	n := nursery(t)
	p, err := n.Start(Start{Role: "echo", Name: "one"})
	require.NoError(t, err)
	require.NoError(t, p.Stop())
	require.NoError(t, p.Tell("hello"))
	_, err = p.Hear("heard ", 50*time.Millisecond)
	require.ErrorIs(t, err, ErrSilent)
	require.NoError(t, p.Continue())
	_, err = p.Hear("heard hello", soon)
	require.NoError(t, err)
	require.NoError(t, p.Stop())
	require.ErrorContains(t, p.End(50*time.Millisecond), "has not ended")
	<-p.Gone()
}

func TestKill(t *testing.T) {
	n := nursery(t)
	p, err := n.Start(Start{Role: "echo", Name: "one"})
	require.NoError(t, err)
	p.Kill()
	p.Kill()
	require.ErrorContains(t, p.Wait(soon), "killed")
	require.Error(t, p.Stop())
}

func TestFailing(t *testing.T) {
	n := nursery(t)
	for _, role := range []string{"failing", "unknown"} {
		p, err := n.Start(Start{Role: role, Name: role})
		require.NoError(t, err)
		require.ErrorContains(t, p.Wait(soon), "exit status 1")
	}
	text, err := os.ReadFile(filepath.Join(n.dir, "failing.log"))
	require.NoError(t, err)
	require.Equal(t, "failing: of no use\n", string(text))
	n.Close()
	_, err = n.Start(Start{Role: "echo", Name: "late"})
	require.ErrorContains(t, err, "is closed")
}

// TestNoneLeft kills a process with kill -9: its child dies as well, though it is stopped.
func TestNoneLeft(t *testing.T) {
	n := nursery(t)
	p, err := n.Start(Start{Role: "parent", Name: "parent", Args: []string{t.TempDir()}})
	require.NoError(t, err)
	id, err := p.Hear("child ", soon)
	require.NoError(t, err)
	p.Kill()
	require.Eventually(t, func() bool {
		text, err := os.ReadFile("/proc/" + id + "/stat")
		// Where nobody waits for orphans it stays a zombie.
		return err != nil || strings.Contains(string(text), ") Z ")
	}, soon, time.Millisecond)
}

func TestFileLimit(t *testing.T) {
	n := nursery(t)
	p, err := n.Start(Start{Role: "writer", Name: "writer", Args: []string{t.TempDir()},
		FileLimit: 100 << 10})
	require.NoError(t, err)
	rest, err := p.Hear("wrote ", soon)
	require.NoError(t, err)
	require.Equal(t, "102400 true false", rest)
	require.NoError(t, p.End(soon))
}

func TestDisk(t *testing.T) {
	if err := Namespaces(t.TempDir()); err != nil {
		t.Skip(err)
	}
	n := nursery(t)
	dir := t.TempDir()
	p, err := n.Start(Start{Role: "writer", Name: "writer", Args: []string{dir}, Disk: dir,
		DiskBytes: 1 << 20})
	require.NoError(t, err)
	rest, err := p.Hear("wrote ", soon)
	require.NoError(t, err)
	require.Equal(t, "1048576 false true", rest)
	require.NoError(t, p.Tell("grow"))
	rest, err = p.Hear("wrote ", soon)
	require.NoError(t, err)
	require.Equal(t, "4194304 false false", rest)
	require.NoError(t, p.End(soon))
	left, err := os.ReadDir(dir)
	require.NoError(t, err)
	require.Empty(t, left, "it was the child's alone")
}
