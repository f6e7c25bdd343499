package search_test

import (
	"testing"

	"github.com/mcpgrpc/bridge/bridge/internal/search"
)

// TestRank: of two methods with the same words, the one that is meant comes first, in whatever order they are indexed.
func TestRank(t *testing.T) {
	t.Parallel()
	for _, c := range []struct {
		what, query  string
		meant, other search.Document
	}{
		{
			"the verb has the effect that is wanted", "which volumes are there on disk",
			search.Document{Method: "a.A.ListDiskVolumes"},
			search.Document{Method: "a.A.DeleteDiskVolumes"},
		},
		{
			"the verb comes last", "remove the volume of a disk",
			search.Document{Method: "a.A.DiskVolumeDelete"},
			search.Document{Method: "a.A.DiskVolumeGet"},
		},
		{
			"many are wanted", "find volumes",
			search.Document{Method: "a.A.GetVolumes"},
			search.Document{Method: "a.A.GetVolume"},
		},
		{
			"one is wanted", "find a volume",
			search.Document{Method: "a.A.GetVolume"},
			search.Document{Method: "a.A.GetVolumes"},
		},
		{
			"the thing before its surroundings", "list the users of the volumes",
			search.Document{Method: "a.A.ListUsers"},
			search.Document{Method: "a.A.ListVolumes"},
		},
		{
			"only common words beside what was asked for", "volume",
			search.Document{Method: "a.A.ListVolume"},
			search.Document{Method: "a.A.MountVolume"},
		},
		{
			"the thing before the verb", "create a volume",
			search.Document{Method: "a.A.MountVolume"},
			search.Document{Method: "a.A.CreateDisk"},
		},
		{
			"a name of one word is that of its service", "export volumes",
			search.Document{Method: "a.VolumesService.Export"},
			search.Document{Method: "a.DisksService.Export", Description: "Exports volumes."},
		},
		{
			"the final version", "mount a volume",
			search.Document{Method: "a.v1.A.MountVolume"},
			search.Document{Method: "a.v1beta1.A.MountVolume"},
		},
		{
			"not deprecated", "mount a volume",
			search.Document{Method: "a.A.MountVolume", Description: "Calls a."},
			search.Document{Method: "a.B.MountVolume", Description: "Deprecated. Calls a."},
		},
	} {
		t.Run(c.what, func(t *testing.T) {
			t.Parallel()
			common := []search.Document{
				{Method: "b.B.ListTopics"}, {Method: "b.B.ListRooms"}, {Method: "b.B.GetTopic"}, {Method: "b.B.LoadTopic"},
			}
			if got := search.New(append(common, c.meant, c.other)).Search(c.query, nil); len(got) == 0 || got[0] != len(common) {
				t.Errorf("%q finds %v, want %d first", c.query, got, len(common))
			}
			if got := search.New(append(common, c.other, c.meant)).Search(c.query, nil); len(got) == 0 || got[0] != len(common)+1 {
				t.Errorf("%q finds %v, want %d first", c.query, got, len(common)+1)
			}
		})
	}
}

// TestReverse: the reverse of a word is not taken for a slip of another one.
func TestReverse(t *testing.T) {
	t.Parallel()
	x := search.New([]search.Document{{Method: "a.A.Upload"}, {Method: "a.A.Load"}})
	if got := x.Search("unload", nil); len(got) != 0 {
		t.Errorf("unload finds %v", got)
	}
	if got := x.Search("uplaod", nil); len(got) != 1 || got[0] != 0 {
		t.Errorf("uplaod finds %v, want 0", got)
	}
}
