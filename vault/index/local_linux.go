package index

import "golang.org/x/sys/unix"

// localSystems are the magic numbers in statfs(2) of the file systems whose changes all go through this kernel, so
// that it can report them.
var localSystems = map[int64]bool{
	unix.EXT4_SUPER_MAGIC:      true, // ext2 and ext3 too
	unix.XFS_SUPER_MAGIC:       true,
	unix.BTRFS_SUPER_MAGIC:     true,
	unix.TMPFS_MAGIC:           true,
	unix.F2FS_SUPER_MAGIC:      true,
	unix.OVERLAYFS_SUPER_MAGIC: true,
	unix.ECRYPTFS_SUPER_MAGIC:  true,
	unix.MSDOS_SUPER_MAGIC:     true,
	unix.EXFAT_SUPER_MAGIC:     true,
	0x7366746e:                 true, // ntfs3
	0x5346544e:                 true, // ntfs, in the kernel
	0x2fc12fc1:                 true, // zfs
	0xca451a4e:                 true, // bcachefs
}

// Local reports whether a folder is on a file system that no other machine changes.
func Local(dir string) bool {
	var st unix.Statfs_t
	return unix.Statfs(dir, &st) == nil && localSystems[int64(uint32(st.Type))]
}
