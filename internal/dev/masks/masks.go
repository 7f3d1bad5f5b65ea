package masks

import (
	"os"
	"strings"
)

// All returns a list of processors, as Linux writes it, for each thread. It is empty where there is
// no /proc.
func All() map[string]string {
	all := map[string]string{}
	const folder = "/proc/self/task/"
	tasks, _ := os.ReadDir(folder)
	for _, task := range tasks {
		status, err := os.ReadFile(folder + task.Name() + "/status")
		if err != nil {
			continue // it has ended
		}
		for line := range strings.Lines(string(status)) {
			if list, ok := strings.CutPrefix(line, "Cpus_allowed_list:"); ok {
				all[task.Name()] = strings.TrimSpace(list)
			}
		}
	}
	return all
}
